-- Events: what happened, append-only.

-- name: event_insert
insert into events (owner_id, at, topic, namespace, payload, request_id, trace_id)
values (:owner, :at, :topic, :namespace, :payload, :request_id, :trace_id)

-- name: search_events
-- The numbers of searches and activations, and of those in which an arm was missing.
select e.topic, count(*)
from events e
where e.owner_id = :owner and e.at >= :since and {inside e.namespace root}
  and e.topic in ('search', 'activate', 'search_fallback')
group by e.topic

-- name: event_total
select count(*)
from events e
where e.owner_id = :owner

-- name: retired_total
select count(*)
from retired r
where r.owner_id = :owner and r.kind in ('node', 'edge')
