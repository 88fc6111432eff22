-- Metabolism: thin edges, weak nodes, near vectors; runs and receipts.
--
-- :clocks is JSON: for each namespace of the root its newest edge, how fast its edges decay, and below which threshold
-- they are thin; an edge between two namespaces must be thin for both. :gone is a list of edges that count as deleted, if any do.
-- Whether the access may see a row is checked in a `case` with a clock in it, so after the join: otherwise PostgreSQL
-- expects that almost no row is left, and reads all clocks for each row.

-- name: newest_edges
-- The namespaces are found one after the other by the index, which reads a few entries for each.
with recursive places (name) as (
    select min(e.source_namespace) from edges e where e.owner_id = :owner and e.source_namespace >= :root
    union all
    select (select min(e.source_namespace) from edges e where e.owner_id = :owner and e.source_namespace > p.name)
    from places p
    where p.name < :root_end
)
select p.name, (
    select max(e.observed_at)
    from edges e
    where e.owner_id = :owner and e.source_namespace = p.name and e.observed_at <= :now
)
from places p
where {within p.name root}

-- name: newest_edges_of
-- The same for a few namespaces, found by the index.
select v.value, (
    select max(e.observed_at)
    from edges e
    where e.owner_id = :owner and e.source_namespace = v.value and e.observed_at <= :now
)
from {each namespaces} as v

-- fragment: judged_nodes
-- {0} is a fragment: which of :ids, if they are given.
with clocks as materialized {clocks}
select n.seq, n.id, n.version, n.namespace, n.kind, n.claim_kind, n.boundary_class, n.expires_at,
       coalesce({spared n}, case when n.created_at > r.protected then 'young' end)
from nodes n --unless ids
from (select m.* from nodes m where m.owner_id = :owner and m.id in ({{0}}) limit 1000000) as n --if ids
left join clocks r on r.namespace = n.namespace

-- fragment: all_of_them = select v.value from {each ids} as v

-- fragment: keeps
-- True if an edge can keep a node from the test: of a memo or claim not if a program guessed it and nobody has used it,
-- for what a text mentions or resembles, its copy mentions and resembles as well.
({1} not in ('memo', 'claim') or {0}.judge is null
  or ({0}.judge <> 'names' and ({0}.judge <> 'insight' or {0}.confidence > :guessed)))

-- fragment: undecayed = case when {0}.weight < 1e-100 or {0}.confidence < 1e-100 then 0.0 else {0}.weight * {0}.confidence end

-- fragment: maybe_thin
-- False if an edge is thick by all clocks: more than twice the highest threshold and younger than the shortest half-life,
-- or more than four times and younger than two of these. Most are, and no clock is looked up for them.
({undecayed {0}} <= :twice or {0}.observed_at <= :halved)
and ({undecayed {0}} <= :fourfold or {0}.observed_at <= :quartered)

-- fragment: holds_on = not ({maybe_thin {0}}) and {still {0}} and {keeps {0} {1}}

-- fragment: loose_ones
-- Those of :ids that no edge keeps that is thick by all clocks. Most have one, and no node is read for them.
select v.value
from {each ids} as v
where not exists (
    select 1 from edges e where e.owner_id = :owner and e.source_id = v.value and {holds_on e e.source_kind}
) and not exists (
    select 1 from edges e where e.owner_id = :owner and e.target_id = v.value and {holds_on e e.target_kind}
)

-- name: weakly_connected_nodes
-- Nodes (of :ids, if given) whose edges that keep them are all thin, a page at a time, with the rule that exempts each, if any; a young
-- node is exempt, because its worth is not known yet. Most nodes have an edge that is thick by all clocks, so that is
-- checked first. (The limit makes both databases look up the ids first.)
{judged_nodes loose_ones}
where n.owner_id = :owner and n.seq > :after
  and case
    when r.namespace is null or not ({visible n}) then 0
    when exists (select 1 from edges e where e.owner_id = :owner and e.source_id = n.id and {holds_on e n.kind}) then 0 --unless ids
    when exists (select 1 from edges e where e.owner_id = :owner and e.target_id = n.id and {holds_on e n.kind}) then 0 --unless ids
    when exists (
        select 1
        from edges e
        left join clocks t on t.namespace = e.target_namespace
        where e.owner_id = :owner and e.source_id = n.id and {still e} and {keeps e n.kind}
          and {thickness e r} > {lower r t}
    ) then 0
    when exists (
        select 1
        from edges e
        left join clocks g on g.namespace = e.source_namespace
        where e.owner_id = :owner and e.target_id = n.id and {still e} and {keeps e n.kind}
          and {thickness e g} > {lower r g}
    ) then 0
    when exists (select 1 from edges e where e.owner_id = :owner and e.source_id = n.id and {still e}) then 1
    when exists (select 1 from edges e where e.owner_id = :owner and e.target_id = n.id and {still e}) then 1
    else 0
  end = 1
order by n.seq
limit :limit

-- name: orphan_nodes
-- Nodes without any edge, likewise. A fragment of a page and a page with fragments are not orphans.
{judged_nodes all_of_them}
where n.owner_id = :owner and n.seq > :after and case when r.namespace is null then 0 when {visible n} then 1 end = 1
  and not exists (select 1 from edges e where e.owner_id = :owner and e.source_id = n.id and {still e})
  and not exists (select 1 from edges e where e.owner_id = :owner and e.target_id = n.id and {still e})
  and (n.kind in ('memo', 'claim', 'entity')
    or (n.kind = 'fragment' and n.page_id is null)
    or (n.kind = 'page' and not exists (select 1 from nodes f where f.owner_id = :owner and f.page_id = n.id)))
order by n.seq
limit :limit

-- fragment: is_thin
-- 1 if an edge is thin and old enough to go, by the clocks of its source and its target.
case
    when {1}.namespace is null or {2}.namespace is null or {0}.observed_at > {1}.protected or {surely_thick {0} {1} {1}} then 0
    when {is_evidence {0}} or not ({still {0}}) or not ({visible_edge {0}}) then 0
    when {thickness {0} {1}} < {lower {1} {2}} then 1
    else 0
end

-- name: thin_edges
-- Edges (of :seqs, if given) that are thin and old enough to go.
with clocks as materialized {clocks}
select e.seq, e.source_id, e.target_id, e.tag, {thickness e g}
from edges e
left join clocks g on g.namespace = e.source_namespace
left join clocks t on t.namespace = e.target_namespace
where {scanned e} and {maybe_thin e}
  and e.seq in {each_number seqs} --if seqs
  and {is_thin e g t} = 1
order by e.seq

-- name: loose_edges
-- The edges that may be thin, or may not keep a node: all edges of a weak node are among them, and all that are thin.
with clocks as materialized {clocks}
select e.seq, e.source_id, e.target_id, e.tag, {thickness e g}, {is_thin e g t}
from edges e
left join clocks g on g.namespace = e.source_namespace
left join clocks t on t.namespace = e.target_namespace
where {scanned e} and (({maybe_thin e}) or e.judge in ('names', 'insight') or not ({still e}))

-- name: edges_weighed
-- Edges with what decides which of two that become the same one stays: was it judged by a person, and is it thin; and
-- whether it is a judgement of a fragment.
with clocks as materialized {clocks}
select e.seq, e.source_id, e.target_id, e.tag, {thickness e g}, case when e.judge = 'human' then 1 else 0 end,
       {is_thin e g t}, case when e.source_kind = 'fragment' and e.tag in {each judgements} then 1 else 0 end
from edges e
left join clocks g on g.namespace = e.source_namespace
left join clocks t on t.namespace = e.target_namespace
where e.owner_id = :owner and e.seq in {each_number seqs}

-- name: edge_seqs
select e.seq
from {rows source_id text, target_id text, tag text}
join edges e on e.owner_id = :owner and e.source_id = r.source_id and e.target_id = r.target_id and e.tag = r.tag

-- name: edges_of_weak
-- All edges of these nodes with their thickness, and whether the access may see them.
with clocks as materialized {clocks}
select e.seq, e.source_id, e.target_id, e.tag, {thickness e g}, case when {visible_edge e} then 1 else 0 end
from edges e
left join clocks g on g.namespace = e.source_namespace
where e.owner_id = :owner and {still e} and e.seq in (
    select o.seq from edges o where o.owner_id = :owner and o.source_id in {each ids}
    union
    select i.seq from edges i where i.owner_id = :owner and i.target_id in {each ids}
)

-- name: edge_values
with clocks as materialized {clocks}
select e.seq, e.source_id, e.target_id, e.tag, {thickness e g}, case when e.observed_at <= g.protected then 1 else 0 end
from edges e
cross join clocks g
where g.namespace = e.source_namespace and {visible_edge e} and e.seq in {each_number seqs}

-- name: edge_tags
select distinct e.tag
from edges e
where e.owner_id = :owner

-- name: edges_tagged
-- Edges with tags that exclude each other, or that are one tag in several spellings.
with clocks as materialized {clocks}
select e.seq, e.source_id, e.target_id, e.tag, {thickness e g}, case when e.observed_at <= g.protected then 1 else 0 end,
       e.source_namespace
from edges e
left join clocks g on g.namespace = e.source_namespace
where e.owner_id = :owner and e.tag in {each tags} and not ({is_evidence e})
  and case when g.namespace is null then 0 when {visible_edge e} then 1 end = 1
order by e.source_id, e.tag, e.target_id

-- name: edge_thickness
-- The number of edges in each fiftieth of the thickness.
with clocks as materialized {clocks}
select parts.part, count(*)
from (
    select cast(floor({thickness e g} * 50) as integer) as part
    from edges e
    left join clocks g on g.namespace = e.source_namespace
    where e.owner_id = :owner and case when g.namespace is null then 0 when {visible_edge e} then 1 end = 1
) as parts
group by parts.part

-- name: vectors_that_stay
-- The nodes that could stand for another: they live, nothing has replaced them, and they could go themselves: of an old note
-- and its new copy, or one that was brought back, the note would go otherwise, because the other one must stay. (|| '': so
-- that SQLite reads them in the order of their seqs, which is that of the tables; by nodes_same_text it takes three times
-- as long.)
with clocks as materialized {clocks}
select n.seq, n.id, n.namespace, n.kind, n.claim_kind, n.boundary_class, n.expires_at, {vector v}
from nodes n
join clocks r on r.namespace = n.namespace || '' and n.created_at <= r.protected
join embeddings v on v.owner_id = :owner and v.node_seq = n.seq and v.model = :model
where {visible n} and {live n} and n.superseded_by is null and {holds n} and n.kind in {each kinds}
  and n.namespace || '' in {each namespaces}
  and n.id not in (select x.node_id from retired x where x.owner_id = :owner and x.kind = 'restored')

-- name: texts_compared
select n.id, n.version, n.title, n.content, n.metadata, n.provenance, n.valid_from, n.valid_to, n.speaker, n.session,
       n.content_hash, n.utility, n.created_at
from nodes n
where n.owner_id = :owner and n.id in {each ids}

-- fragment: is_stated = coalesce({0}.judge, 'human') = 'human'

-- fragment: some_edges
-- How many edges of a kind a node has, up to 200 each way: more tell nothing more.
(select count(*) from (
    select 1 from edges e where e.owner_id = :owner and e.source_id = {0}.id and {{1} e} limit 200
) as outward) + (select count(*) from (
    select 1 from edges e where e.owner_id = :owner and e.target_id = {0}.id and {{1} e} limit 200
) as inward)

-- name: standings
-- Judgements of these nodes, and their relations that somebody stated.
select n.id, (select count(*) from feedback f where f.owner_id = :owner and f.node_id = n.id),
       {some_edges n is_stated}
from nodes n
where n.owner_id = :owner and n.id in {each ids}

-- name: nodes_judged
-- These nodes with the rule that exempts each, whatever edges they have.
{judged_nodes all_of_them}
where n.owner_id = :owner and n.seq > :after and case when r.namespace is null then 0 when {visible n} then 1 end = 1
order by n.seq
limit :limit

-- name: disputes_of_all
-- The pairs of these nodes that contradict or replace each other, whether the access may see that or not.
select e.source_id, e.target_id
from edges e
where e.owner_id = :owner and e.source_id in {each ids} and e.target_id in {each ids}
  and e.tag in ('contradicts', 'conflicts', 'refutes', 'supersedes')

-- name: standing_in
-- The nodes among these that stand for a node that was let go, or that is superseded.
select r.stand_in
from retired r
where r.owner_id = :owner and r.stand_in in {each ids}
union
select n.superseded_by
from nodes n
where n.owner_id = :owner and n.superseded_by in {each ids}

-- name: run_going
-- The unfinished runs of this namespace, or of one above or below it.
select r.id, r.namespace, r.moment, r.newest, r.leased_until, r.asked, r.started_at
from metabolism_runs r
where r.owner_id = :owner and r.state = 'running'
  and ({inside r.namespace root} or substr(cast(:root as text) || '/', 1, length(r.namespace) + 1) = r.namespace || '/')
order by r.started_at desc

-- name: runs_newest
-- The newest times by which the last runs of this namespace, or of one above or below it, measured.
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
values (:owner, :id, :namespace, 'running', :asked, :now, :newest, :now, :until, '{}')

-- name: run_extend
-- Changes nothing if another process has taken the run over.
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
{move metabolism_runs}

-- name: versions_that_live
select n.id, n.version
from nodes n
where n.owner_id = :owner and n.id in {each ids} and {live n} and n.superseded_by is null and {holds n}

-- name: run_receipts
select r.kind, r.node_id, r.row_seq
from retired r
where r.owner_id = :owner and r.run_id = :id and r.kind in ('node', 'edge')

-- name: metabolism_plan_add
insert into metabolism_plans (
    owner_id, id, namespace, seen_by, node_count, link_count, content, created_at, run_id, applied_at
)
values (:owner, :id, :namespace, :seen_by, :node_count, :link_count, :content, :now, :run_id, :applied_at)

-- name: metabolism_plan_get
select p.id, p.namespace, p.content, p.created_at, p.run_id, p.applied_at
from metabolism_plans p
where p.owner_id = :owner and {inside p.namespace root} and p.seen_by = :seen_by and p.id = :id

-- name: metabolism_plan_mark
update metabolism_plans
set run_id = :run_id, applied_at = :now
where owner_id = :owner and id = :id

-- name: metabolism_plans_purge
-- Those whose time is over, and of those that wait all but the newest.
delete from metabolism_plans
where owner_id = :owner and (
    created_at < :applied or (run_id is null and created_at < :waiting)
    or (run_id is null and id not in (
        select w.id from metabolism_plans w
        where w.owner_id = :owner and w.run_id is null
        order by w.created_at desc, w.id desc
        limit :most
    ))
)

-- name: metabolism_plans_move
{move metabolism_plans}
