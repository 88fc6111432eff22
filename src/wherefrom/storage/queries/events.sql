-- Events: what happened, append-only.

-- name: event_insert
insert into events (
    owner_id, at, topic, namespace, payload, request_id, trace_id
    , node_id, other_id, other_namespace, part_of, boundary_class --if boundary_class
) values (
    :owner, :at, :topic, :namespace, :payload, :request_id, :trace_id
    , :node_id, :other_id, :other_namespace, :part_of, :boundary_class --if boundary_class
)

-- name: events_follow_nodes
-- Classes become stricter and never more open. A relation is seen by whoever sees the whole of both its ends.
update events
set boundary_class = case when events.other_id is null then {stricter events.boundary_class n.open_class}
        else {stricter events.boundary_class n.boundary_class} end
from (
    select m.id, m.boundary_class, {open_class m} as open_class
    from nodes m
    where m.owner_id = :owner and m.id in {each ids}
) n
where events.owner_id = :owner and events.node_id = n.id and events.boundary_class is not null

-- name: events_follow_others
update events
set boundary_class = {stricter events.boundary_class n.boundary_class}
from nodes n
where events.owner_id = :owner and events.other_id = n.id and events.boundary_class is not null
  and n.owner_id = :owner and n.id in {each ids}

-- name: events_move
update events
set namespace = case when {inside namespace moved} then {moved namespace} else namespace end,
    other_namespace = case when {inside other_namespace moved} then {moved other_namespace} else other_namespace end
where owner_id = :owner and ({inside namespace moved} or {inside other_namespace moved})

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
