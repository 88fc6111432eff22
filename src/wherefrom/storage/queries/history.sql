-- History: events for those who may see what they are about, and what their ids stand for now.

-- name: history_page
-- Newest first. What changes nothing, or repeats another event, is left out unless its topic is asked for. The events of
-- an id are found by the indexes of nodes, of other nodes and of runs.
select e.seq, e.at, e.topic, e.namespace, e.payload, e.node_id, e.other_id, e.part_of, e.request_id, e.trace_id
from events e
where {visible_event e}
  and e.topic not in ('search', 'search_fallback', 'activate', 'critic') --unless topics
  and (e.topic <> 'filter' or {text_in e.payload decision} = 'denied') --unless topics
  and e.topic in {each topics} --if topics
  and e.at >= :since --if since
  and e.at < :until --if until
  and (e.at, e.seq) < (cast(:before_at as text), cast(:before_seq as bigint)) --if before_at
  and e.seq in ( --if id
    select a.seq from events a where a.owner_id = :owner and a.node_id = :id --if id
    union --if id
    select b.seq from events b where b.owner_id = :owner and b.other_id = :id --if id
    union --if id
    select c.seq from events c where c.owner_id = :owner and c.part_of = :id --if id
  ) --if id
order by e.at desc, e.seq desc
limit :limit

-- name: history_receipts
-- The newest receipt of each of these nodes: when and by which run it went, what stands for it, and its name.
select r.node_id, r.run_id, r.retired_at, r.stand_in, r.namespace, {text_in r.reason rule},
       {text_in r.content kind}, {text_in r.content boundary_class},
       coalesce({text_in r.content title}, substr({text_in r.content content}, 1, 80))
from retired r
where r.owner_id = :owner and r.kind = 'node' and r.node_id in {each ids}
order by r.seq

-- name: history_plans
-- The states of these plans, and since when they have them.
select p.id, p.state, coalesce(p.undone_at, p.applied_at, p.created_at)
from insight_plans p
where p.owner_id = :owner and p.id in {each ids}

-- name: history_run
select r.namespace, r.state, r.started_at, r.finished_at
from metabolism_runs r
where r.owner_id = :owner and {inside r.namespace root} and r.id = :id

-- name: history_parts
-- How many visible nodes a run let go, how many of them since a time, and how many came back; and whether the access may
-- see the run itself.
select coalesce(sum(case when e.topic = 'retire' then 1 else 0 end), 0),
       coalesce(sum(case when e.topic = 'retire' and e.at >= :since then 1 else 0 end), 0),
       coalesce(sum(case when e.topic = 'return' then 1 else 0 end), 0),
       min(case when e.topic = 'retire' then e.at end),
       coalesce(max(case when e.topic in ('metabolism', 'retire') then 1 else 0 end), 0)
from events e
where {visible_event e} and e.part_of = :id

-- name: history_end
-- How a node that is not here went: deleted, or let go by a run.
select e.topic, e.at, e.namespace, e.part_of
from events e
where {visible_event e} and e.node_id = :id and e.other_id is null and e.topic in ('delete', 'retire')
order by e.at desc, e.seq desc
limit 1
