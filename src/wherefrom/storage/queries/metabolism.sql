-- Metabolism: what is thin, what is weak, who is near; runs and receipts.
--
-- metabolism_clocks is a table of the connection: for each namespace that is looked at its newest edge, how fast its
-- edges decay and what it calls thin; an edge between two namespaces is thin if it is for both. metabolism_gone holds
-- edges that count as gone already.

-- name: newest_edges
-- || '': read the table from one end to the other, not row by row through an index.
select e.source_namespace || '', max(e.observed_at)
from edges e
where e.owner_id || '' = :owner and {inside e.source_namespace root} and e.observed_at <= :now
group by e.source_namespace || ''

-- name: newest_edges_of
-- The same for a few namespaces, each found by its index.
select v.value, (
    select max(e.observed_at)
    from edges e
    where e.owner_id = :owner and e.source_namespace = v.value and e.observed_at <= :now
)
from {each namespaces} as v

-- name: visible_edge_total
select count(*)
from edges e
where {visible_edge e}

-- name: clocks_set
-- Which clocks the connection has: they stay from one transaction to the next.
select c.vanished
from metabolism_clocks c
where c.namespace = ''

-- name: clocks_clear
delete from metabolism_clocks

-- name: gone_clear
delete from metabolism_gone

-- name: clock_add
insert into metabolism_clocks (namespace, newest, newest_day, rate, vanished, halved, threshold, protected)
select c.namespace, c.newest, {day c.newest}, cast(:rate as double precision), cast(:vanished as text),
       cast(:halved as text), cast(:threshold as double precision), cast(:protected as text)
from (select cast(:namespace as text) as namespace, cast(:newest as text) as newest) as c

-- name: gone_add
insert into metabolism_gone (seq)
values (:seq)

-- name: weakly_connected_nodes
-- Nodes of which every edge is thin, a page at a time; with ids, those of them that are. What a young node is worth is
-- not known yet; of the others the rule that spares it, if there is one. Most have a thick edge out of them: that is
-- asked first. (The limit makes databases look for the ids first.)
select n.seq, n.id, n.version, n.namespace, n.kind, n.claim_kind, n.boundary_class, n.expires_at,
       coalesce({spared n}, case when n.created_at > r.protected then 'young' end)
from nodes n --unless ids
from (select m.* from nodes m where m.owner_id = :owner and m.id in {each ids} limit 1000000) as n --if ids
cross join metabolism_clocks r
where r.namespace = n.namespace and {visible n} and n.seq > :after
  and case
    when exists (
        select 1
        from edges e
        left join metabolism_clocks t on t.namespace = e.target_namespace
        where e.owner_id = :owner and e.source_id = n.id and {still e}
          and ({surely_thick e r r} or {thickness e r} > {lower r t})
    ) then 0
    when exists (
        select 1
        from edges e
        left join metabolism_clocks g on g.namespace = e.source_namespace
        where e.owner_id = :owner and e.target_id = n.id and {still e}
          and ({surely_thick e g r} or {thickness e g} > {lower r g})
    ) then 0
    when exists (select 1 from edges e where e.owner_id = :owner and e.source_id = n.id and {still e}) then 1
    when exists (select 1 from edges e where e.owner_id = :owner and e.target_id = n.id and {still e}) then 1
    else 0
  end = 1
order by n.seq
limit :limit

-- name: orphan_nodes
-- Nodes without any edge, likewise. A fragment hangs on its page, and a page holds its fragments.
select n.seq, n.id, n.version, n.namespace, n.kind, n.claim_kind, n.boundary_class, n.expires_at,
       coalesce({spared n}, case when n.created_at > r.protected then 'young' end)
from nodes n --unless ids
from (select m.* from nodes m where m.owner_id = :owner and m.id in {each ids} limit 1000000) as n --if ids
cross join metabolism_clocks r
where r.namespace = n.namespace and {visible n} and n.seq > :after
  and not exists (select 1 from edges e where e.owner_id = :owner and e.source_id = n.id and {still e})
  and not exists (select 1 from edges e where e.owner_id = :owner and e.target_id = n.id and {still e})
  and (n.kind in ('memo', 'claim', 'entity')
    or (n.kind = 'fragment' and n.page_id is null)
    or (n.kind = 'page' and not exists (select 1 from nodes f where f.owner_id = :owner and f.page_id = n.id)))
order by n.seq
limit :limit

-- name: thin_edges
-- Edges that are thin and old enough to go, a page at a time; with seqs, those of them that are.
select e.seq, e.source_id, e.target_id, e.tag, {thickness e g}
from edges e
cross join metabolism_clocks g
cross join metabolism_clocks t
where g.namespace = e.source_namespace and t.namespace = e.target_namespace and {visible_edge e} and e.seq > :after
  and e.seq in {each_number seqs} --if seqs
  and e.observed_at <= g.protected and not ({surely_thick e g g})
  and not ({is_evidence e}) and {still e} and {thickness e g} < {lower g t}
order by e.seq
limit :limit

-- name: edges_of_weak
-- All edges of these nodes with their thickness, and whether the access may see them.
select e.seq, e.source_id, e.target_id, e.tag, {thickness e g}, case when {visible_edge e} then 1 else 0 end
from edges e
left join metabolism_clocks g on g.namespace = e.source_namespace
where e.owner_id = :owner and {still e} and e.seq in (
    select o.seq from edges o where o.owner_id = :owner and o.source_id in {each ids}
    union
    select i.seq from edges i where i.owner_id = :owner and i.target_id in {each ids}
)

-- name: edge_values
select e.seq, e.source_id, e.target_id, e.tag, {thickness e g}, case when e.observed_at <= g.protected then 1 else 0 end
from edges e
cross join metabolism_clocks g
where g.namespace = e.source_namespace and {visible_edge e} and e.seq in {each_number seqs}

-- name: edge_tags
select distinct e.tag
from edges e
where e.owner_id = :owner

-- name: edges_tagged
-- For tags that exclude each other, or that are one tag in several spellings.
select e.seq, e.source_id, e.target_id, e.tag, {thickness e g}, case when e.observed_at <= g.protected then 1 else 0 end,
       e.source_namespace
from edges e
cross join metabolism_clocks g
where g.namespace = e.source_namespace and {visible_edge e} and e.tag in {each tags} and not ({is_evidence e})
order by e.source_id, e.tag, e.target_id

-- name: edge_thickness
-- How many edges there are of each thickness, in fiftieths.
select parts.part, count(*)
from (
    select cast(floor({thickness e g} * 50) as integer) as part
    from edges e
    cross join metabolism_clocks g
    where g.namespace = e.source_namespace and {visible_edge e}
) as parts
group by parts.part

-- name: vectors_that_stay
-- What could stand for another: it lives, and nothing has replaced it.
select n.seq, n.id, n.namespace, n.kind, n.claim_kind, n.boundary_class, n.expires_at, {vector v}
from nodes n
join embeddings v on v.owner_id = n.owner_id and v.node_seq = n.seq and v.model = :model
where {visible n} and {live n} and n.superseded_by is null and n.kind in {each kinds}
  and n.namespace in {each namespaces}

-- name: texts_compared
select n.id, n.version, n.title, n.content, n.metadata, n.provenance, n.valid_from, n.valid_to
from nodes n
where n.owner_id = :owner and n.id in {each ids}

-- name: disputes_of_all
-- Whoever may see them: which of these nodes contradict each other, or replace one another.
select e.source_id, e.target_id
from edges e
where e.owner_id = :owner and e.source_id in {each ids} and e.target_id in {each ids}
  and e.tag in ('contradicts', 'conflicts', 'refutes', 'supersedes')

-- name: standing_in
-- Which of these nodes something was let go for, or is represented by.
select r.stand_in
from retired r
where r.owner_id = :owner and r.stand_in in {each ids}
union
select n.superseded_by
from nodes n
where n.owner_id = :owner and n.superseded_by in {each ids}

-- name: run_going
-- The run of this place, or of one above or below it, that was not finished.
select r.id, r.namespace, r.asked, r.moment, r.newest, r.started_at, r.leased_until
from metabolism_runs r
where r.owner_id = :owner and r.state = 'running'
  and ({inside r.namespace root} or substr(cast(:root as text) || '/', 1, length(r.namespace) + 1) = r.namespace || '/')
order by r.started_at desc

-- name: runs_newest
-- What the last runs of this place, above or below it measured by.
select r.newest
from metabolism_runs r
where r.owner_id = :owner
  and ({inside r.namespace root} or substr(cast(:root as text) || '/', 1, length(r.namespace) + 1) = r.namespace || '/')
order by r.started_at desc
limit :limit

-- name: run_edges
-- The edges that a run has let go.
select r.node_id, r.target_id, r.reason
from retired r
where r.owner_id = :owner and r.run_id = :id and r.kind = 'edge'

-- name: run_add
insert into metabolism_runs (owner_id, id, namespace, state, asked, moment, newest, started_at, leased_until, counts)
values (:owner, :id, :namespace, 'running', :asked, :moment, :newest, :now, :until, :counts)

-- name: run_extend
-- Nothing if somebody else has taken it over.
update metabolism_runs
set leased_until = :until
where owner_id = :owner and id = :id and state = 'running' and leased_until = :leased

-- name: run_end
update metabolism_runs
set state = :state, finished_at = :now, leased_until = '', counts = :counts
where owner_id = :owner and id = :id and state = 'running' and leased_until = :leased

-- name: runs_purge
delete from metabolism_runs
where owner_id = :owner and started_at < :before

-- name: runs_move
update metabolism_runs
set namespace = cast(:target as text) || substr(namespace, length(cast(:moved as text)) + 1)
where owner_id = :owner and {inside namespace moved}

-- name: versions_that_live
select n.id, n.version
from nodes n
where n.owner_id = :owner and n.id in {each ids} and {live n} and n.superseded_by is null
