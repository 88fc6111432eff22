-- Plans and runs of both engines, as they are listed.

-- name: plans_of_insight
-- For those who see the same as who made them; a plan that waited too long is over.
select p.id, p.state, p.namespace, p.created_at, coalesce(p.undone_at, p.applied_at),
       {items_in p.content links}, {items_in p.content made}
from insight_plans p
where p.owner_id = :owner and {inside p.namespace root} and {text_in p.content seen_by} = :seen_by
  and (p.state <> 'proposed' or p.created_at >= :since)
  and p.id = :id --if id
order by p.created_at desc, p.id desc
limit :limit

-- name: plans_of_metabolism
select p.id, p.namespace, p.created_at, p.applied_at, p.run_id, p.node_count, p.link_count, r.counts
from metabolism_plans p
left join metabolism_runs r on r.owner_id = :owner and r.id = p.run_id
where p.owner_id = :owner and {inside p.namespace root} and p.seen_by = :seen_by
  and (p.run_id is not null or p.created_at >= :since)
  and p.id = :id --if id
order by p.created_at desc, p.id desc
limit :limit

-- name: runs_with_receipts
-- The runs among these of which something can be brought back.
select v.value
from {each ids} as v
where exists (
    select 1 from retired r where r.owner_id = :owner and r.run_id = v.value and r.kind in ('node', 'edge')
)

-- name: runs_without_plan
select r.id, r.state, r.namespace, r.started_at, r.finished_at, r.counts
from metabolism_runs r
where r.owner_id = :owner and {inside r.namespace root}
  and not exists (select 1 from metabolism_plans p where p.owner_id = :owner and p.run_id = r.id)
  and exists (select 1 from events e where {visible_event e} and e.part_of = r.id and e.topic = 'metabolism')
order by r.started_at desc
limit :limit
