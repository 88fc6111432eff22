-- Review: pairs of statements that contradict each other, or that look as if one were outdated.
--
-- The work is bounded: :examined says how many of the newest rows are looked through.

-- fragment: stands = {0}.superseded_by is null and {live {0}} and {holds {0}} and ({0}.valid_from is null or {0}.valid_from <= cast(:now as text))

-- fragment: statement = {0}.kind in ('memo', 'claim') and {0}.task_id is null and {stands {0}} and {visible {0}}

-- fragment: since
-- How new a statement is: since when it holds, as was said, or when it was observed. What took another's place has begun
-- where that one ended, maybe long before it was said.
case when {0}.valid_from is null or {0}.observed_at > {0}.valid_from and exists (
    select 1 from edges r where r.owner_id = :owner and r.source_id = {0}.id and r.tag = 'supersedes'
) then {0}.observed_at else {0}.valid_from end

-- fragment: unsettled
not exists (
    select 1 from edges c
    where c.owner_id = :owner and c.source_id = {0} and c.target_id = {1} and c.tag = 'compatible' and c.valid_to is null
) and not exists (
    select 1 from edges c
    where c.owner_id = :owner and c.source_id = {1} and c.target_id = {0} and c.tag = 'compatible' and c.valid_to is null
)

-- fragment: stated
-- The relations that somebody stated, newest first. The conditions are those of the index.
select s.seq, s.tag
from edges s
where s.owner_id = :owner and s.valid_to is null and s.judge is null and s.tag <> 'mentions'
  and s.source_kind in ('memo', 'claim', 'entity')
order by s.seq desc

-- fragment: newest
-- The newest statements of a kind. Those that do not count, such as claims of tasks, are looked through as well.
select n.seq from (
    select m.* from nodes m where m.owner_id = :owner and m.kind = '{0}' order by m.seq desc limit 10 * :examined
) as n
where {statement n}
limit :examined

-- name: review_certain
-- Statements of two classes in one slot (0), relations of one source of which one holds at a time (1), and statements
-- that are in dispute (2): rank, the numbers of the later and the earlier one, both ids; the slot or the tag; of
-- relations their source and its namespace, and since when each holds; of a dispute its reason.
-- Limits are part of the text: SQLite would prepare the statement anew for each that is given.
select p.rank, p.later, p.earlier, p.first_id, p.second_id, p.word, p.source_id, p.namespace, p.since, p.before, p.reason
from (
    select 0 as rank, case when a.seq > b.seq then a.seq else b.seq end as later,
           case when a.seq > b.seq then b.seq else a.seq end as earlier, a.id as first_id, b.id as second_id,
           a.slot as word, null as source_id, a.namespace as namespace, null as since, null as before, null as reason
    from (
        select n.seq, n.namespace, n.slot from nodes n
        where n.owner_id = :owner and n.slot is not null and n.valid_to is null and n.boundary_class <> 'internal'
        order by n.namespace, n.slot limit {literal examined}
    ) as s
    join nodes b on b.owner_id = :owner and b.slot = s.slot and b.namespace = s.namespace and b.seq <> s.seq
    join nodes a on a.owner_id = :owner and a.seq = s.seq
    where {statement a} and {statement b} and {unsettled a.id b.id}
    union all
    select 1, e.seq, f.seq, e.target_id, f.target_id, e.tag, e.source_id, e.source_namespace,
           coalesce(e.valid_from, e.observed_at), coalesce(f.valid_from, f.observed_at), null
    from ({stated} limit {literal examined}) as s
    join edges e on e.owner_id = :owner and e.seq = s.seq and {visible_edge e}
    join edges f on f.owner_id = :owner and {visible_edge f} and f.seq = (
        select max(g.seq) from edges g
        where g.owner_id = :owner and g.source_id = e.source_id and g.tag = e.tag and g.seq < e.seq and g.valid_to is null
    )
    join nodes a on a.owner_id = :owner and a.id = e.target_id and {visible a} and {stands a}
    join nodes b on b.owner_id = :owner and b.id = f.target_id and {visible b} and {stands b}
    where s.tag in {each tags} and {unsettled a.id b.id}
    union all
    select 2, case when a.seq > b.seq then a.seq else b.seq end, case when a.seq > b.seq then b.seq else a.seq end,
           a.id, b.id, e.tag, null, e.source_namespace, null, null, e.reason
    from ({stated} limit {literal examined}) as s
    join edges e on e.owner_id = :owner and e.seq = s.seq and {visible_edge e}
    join nodes a on a.owner_id = :owner and a.id = e.source_id
    join nodes b on b.owner_id = :owner and b.id = e.target_id
    where s.tag in ('contradicts', 'conflicts', 'refutes') and a.id <> b.id and {statement a} and {statement b}
      and {unsettled a.id b.id}
) as p
order by p.rank, p.later desc, p.earlier desc
limit {literal limit}

-- name: review_any
-- A row if there may be a certain pair, whoever sees it: a small statement, as it is asked beside every recall.
select 1
from ({stated} limit {literal examined}) as s
join edges e on e.owner_id = :owner and e.seq = s.seq
where s.tag in ('contradicts', 'conflicts', 'refutes') or s.tag in {each tags} and exists (
    select 1 from edges f
    where f.owner_id = :owner and f.source_id = e.source_id and f.tag = e.tag and f.seq < e.seq and f.valid_to is null
)
union all
select 1
from (
    select n.seq, n.namespace, n.slot from nodes n
    where n.owner_id = :owner and n.slot is not null and n.valid_to is null and n.boundary_class <> 'internal'
    order by n.namespace, n.slot limit {literal examined}
) as s
join nodes b on b.owner_id = :owner and b.slot = s.slot and b.namespace = s.namespace and b.seq <> s.seq
where b.valid_to is null
limit 1

-- name: review_titles
-- The statements that have the same title as one of the newest, and are few in their namespace: one that many have is
-- no name of a fact.
with newest as materialized (
    select distinct n.namespace, {folded n.title} as name
    from nodes n
    where n.owner_id = :owner and n.title is not null and n.seq in (
        select m.seq from ({newest memo}) as m union all select c.seq from ({newest claim}) as c
    )
)
select g.seq, g.id, g.namespace, g.name, g.content, g.since
from (
    select n.seq, n.id, n.namespace, t.name, substr(n.content, 1, :characters) as content,
           {since n} as since,
           count(*) over (partition by n.namespace, t.name) as many
    from newest t
    join nodes n on n.owner_id = :owner and {folded n.title} = t.name and n.namespace = t.namespace
    where n.title is not null and {statement n}
) as g
where g.many > 1 and g.many <= :most
order by g.namespace, g.name, g.seq desc
limit :limit

-- name: review_vectors
-- The newest statements with their vectors, in the form in which metabolism compares nodes; whoever sees one of these
-- sees all of them, so that none is more restricted than another.
select n.seq, n.id, n.namespace, 'memo', null, 'public', null, {vector v}
from nodes n
join embeddings v on v.owner_id = :owner and v.node_seq = n.seq and v.model = :model
where n.owner_id = :owner and n.seq in (
    select m.seq from ({newest memo}) as m union all select c.seq from ({newest claim}) as c
)
order by n.seq desc
limit :examined

-- name: review_texts
select n.id, n.title, substr(n.content, 1, :characters), {since n}
from nodes n
where n.owner_id = :owner and n.id in {each ids}

-- name: review_since
select n.id, {since n}
from nodes n
where n.owner_id = :owner and n.id in {each ids}

-- name: review_compatible
-- The pairs of these nodes of which somebody said that both hold.
select c.source_id, c.target_id
from edges c
where c.owner_id = :owner and c.source_id in {each ids} and c.target_id in {each ids} and c.tag = 'compatible'
  and c.valid_to is null

-- name: review_between
-- The relations from a source to one of two nodes that hold.
select {edge e}
from edges e
where {visible_edge e} and e.source_id = :source_id and e.target_id in {each ids} and e.valid_to is null
order by e.tag, e.target_id
