-- The feed: events of all owners in the order in which they became visible.

-- fragment: feed_columns
{written_in {0}}, {0}.seq, {0}.owner_id, {0}.at, {0}.topic, {0}.namespace, {0}.other_namespace, {0}.boundary_class,
{0}.node_id, {0}.other_id

-- fragment: feed_shown = {0}.boundary_class is not null and {0}.topic not in ('search', 'search_fallback', 'activate', 'critic', 'filter')

-- name: event_floor_raise
-- Notes the last event that `events_purge` is about to delete. A floor is not lowered.
insert into event_floors as f (owner_id, written_in, seq)
select :owner, max({written_in e}), max(e.seq)
from events e
where e.owner_id = :owner and e.at < :before
having count(*) > 0
on conflict (owner_id) do update set
    written_in = excluded.written_in, seq = excluded.seq
where (excluded.written_in, excluded.seq) > (f.written_in, f.seq)

-- name: event_floor
select f.written_in, f.seq
from event_floors f
where f.owner_id = :owner
