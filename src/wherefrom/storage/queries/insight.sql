-- Insight: new nodes, plans of edges, and what the gates have seen.

-- name: nodes_new
-- The nodes between two seqs that can be linked, oldest first.
select n.seq, {node n} --unless counted
select count(*) --if counted
from nodes n
where {visible n} and {live n} and n.seq > :after and n.seq <= :upto and n.kind in {each kinds}
  and n.superseded_by is null and n.valid_to is null
order by n.seq --unless counted
limit :limit --unless counted

-- name: nodes_unlinked
-- The nodes between two seqs that can be linked and have no relation, oldest first; mentions do not count.
select n.seq, {node n}
from nodes n
where {visible n} and {live n} and n.seq > :after and n.seq <= :upto and n.kind in {each kinds}
  and n.superseded_by is null and n.valid_to is null
  and not exists (
    select 1 from edges e where e.owner_id = :owner and e.source_id = n.id and e.tag <> 'mentions'
  )
  and not exists (
    select 1 from edges e where e.owner_id = :owner and e.target_id = n.id and e.tag <> 'mentions'
  )
order by n.seq
limit :limit

-- name: nodes_linkable
select {node n}
from nodes n
where {visible n} and {live n} and n.superseded_by is null and n.valid_to is null and n.id in {each ids}

-- name: edges_of_centers
-- Each edge as its center and its other end.
select e.source_id, e.target_id
from edges e
where e.owner_id = :owner and e.source_id in {each centers} and e.target_id in {each ids}
union
select e.target_id, e.source_id
from edges e
where e.owner_id = :owner and e.source_id in {each ids} and e.target_id in {each centers}

-- name: insight_plan_insert
insert into insight_plans (owner_id, id, namespace, state, asked, content, created_at)
values (:owner, :id, :namespace, 'proposed', :asked, :content, :now)

-- name: insight_plan_get
select p.state, p.namespace, p.asked, p.content, p.created_at, p.applied_at, p.undone_at
from insight_plans p
where p.owner_id = :owner and {inside p.namespace root} and p.id = :id

-- name: insight_plan_mark
-- Only the first of several transactions finds the expected state and changes it.
update insight_plans
set state = :state, content = :content, applied_at = :applied_at, undone_at = :undone_at
where owner_id = :owner and id = :id and state = :expected and content = :former

-- name: insight_plans_purge
delete from insight_plans
where owner_id = :owner and (created_at < :applied or (state = 'proposed' and created_at < :proposed))

-- name: insight_plans_move
{move insight_plans}

-- name: insight_seen_get
select s.seq, s.judged, s.again_at, s.again_seq, s.again_end
from insight_seen s
where s.owner_id = :owner and s.namespace = :namespace and s.seen_by = :seen_by

-- name: insight_seen_put
insert into insight_seen (owner_id, namespace, seen_by, seq, judged, again_at, again_seq, again_end)
values (:owner, :namespace, :seen_by, :seq, :judged, :again_at, :again_seq, :again_end)
on conflict (owner_id, namespace, seen_by) do update
set seq = excluded.seq, judged = excluded.judged,
    again_at = excluded.again_at, again_seq = excluded.again_seq, again_end = excluded.again_end
where excluded.seq >= insight_seen.seq

-- name: insight_gates_get
select g.state
from insight_gates g
where g.owner_id = :owner and g.namespace = :namespace

-- name: insight_gates_put
insert into insight_gates (owner_id, namespace, state, updated_at)
values (:owner, :namespace, :state, :now)
on conflict (owner_id, namespace) do update
set state = excluded.state, updated_at = excluded.updated_at

-- name: insight_seen_move
-- A row that the target has already stays: it is about the nodes that were there before.
update insight_seen
set namespace = {moved namespace}
where owner_id = :owner and {inside namespace moved} and not exists (
    select 1 from insight_seen other
    where other.owner_id = :owner and other.seen_by = insight_seen.seen_by
      and other.namespace = {moved insight_seen.namespace}
)

-- name: insight_seen_lower
-- Lower the seq to before the first node that is at the target now, so that the moved nodes count as new.
update insight_seen
set seq = coalesce((
        select min(n.seq) - 1 from nodes n
        where n.owner_id = :owner and {inside n.namespace target} and n.seq <= insight_seen.seq
    ), seq)
where owner_id = :owner and namespace in {each names}

-- name: insight_gates_move
update insight_gates
set namespace = {moved namespace}
where owner_id = :owner and {inside namespace moved} and not exists (
    select 1 from insight_gates other
    where other.owner_id = :owner
      and other.namespace = {moved insight_gates.namespace}
)

-- name: edges_among
-- The pairs of these nodes that an edge links.
select e.source_id, e.target_id
from edges e
where e.owner_id = :owner and e.source_id in {each ids} and e.target_id in {each ids}

-- name: insight_ends
-- The nodes among these that a relation could be made of, with the hashes of their texts.
select n.id, n.content_hash
from nodes n
where n.owner_id = :owner and n.id in {each ids} and n.superseded_by is null and n.valid_to is null
  and n.rejected_at is null

-- name: edges_made_then
select e.source_id, e.target_id, e.tag, e.created_at
from edges e
where e.owner_id = :owner and e.source_id in {each ids} and e.created_at in {each times}

-- name: insight_edges_remove
-- An edge that somebody has changed since stays, and so does one that another plan has made anew.
delete from edges
where {visible_edge edges} and judge = 'insight' and seq in (
    select e.seq
    from {rows source_id text, target_id text, tag text, created_at text}
    join edges e on e.owner_id = :owner and e.source_id = r.source_id and e.target_id = r.target_id and e.tag = r.tag
      and e.created_at = r.created_at
)
returning {edge edges}

-- fragment: declined_now
-- The pairs that were declined and of which neither text has changed since.
insight_declined d
join nodes a on a.owner_id = :owner and a.id = d.first_id and a.content_hash = d.first_hash
join nodes b on b.owner_id = :owner and b.id = d.second_id and b.content_hash = d.second_hash

-- name: insight_declined_among
select d.first_id, d.second_id, d.plan_id, d.reason
from {declined_now}
where d.owner_id = :owner and d.first_id in {each ids} and d.second_id in {each ids}

-- name: insight_declined_of_centers
-- Each pair as its center and its other end.
select d.first_id, d.second_id
from {declined_now}
where d.owner_id = :owner and d.first_id in {each centers}
union
select d.second_id, d.first_id
from {declined_now}
where d.owner_id = :owner and d.second_id in {each centers}

-- name: insight_declined_put
insert into insight_declined (owner_id, first_id, second_id, first_hash, second_hash, plan_id, reason, declined_at)
select cast(:owner as text), r.first_id, r.second_id, a.content_hash, b.content_hash, cast(:plan_id as text),
       cast(:reason as text), cast(:now as text)
from {rows first_id text, second_id text}
join nodes a on a.owner_id = :owner and a.id = r.first_id
join nodes b on b.owner_id = :owner and b.id = r.second_id
where a.id <> b.id
on conflict (owner_id, first_id, second_id) do update
set first_hash = excluded.first_hash, second_hash = excluded.second_hash, plan_id = excluded.plan_id,
    reason = excluded.reason, declined_at = excluded.declined_at
returning first_id, second_id

-- name: insight_declined_remove
delete from insight_declined
where owner_id = :owner and exists (
    select 1
    from {rows first_id text, second_id text}
    where r.first_id = insight_declined.first_id and r.second_id = insight_declined.second_id
)
returning first_id, second_id
