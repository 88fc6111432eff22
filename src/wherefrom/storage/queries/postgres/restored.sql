-- Numbers of transactions that a restore brought from another cluster: no transaction of this one has them yet.

-- name: feed_numbers
-- The oldest transaction that is under way, and the number of the next one.
select cast(cast(pg_snapshot_xmin(pg_current_snapshot()) as text) as bigint),
       cast(cast(pg_snapshot_xmax(pg_current_snapshot()) as text) as bigint)

-- name: feed_newest
select greatest((select max(e.written_in) from events e), (select max(f.written_in) from event_floors f))

-- name: feed_floors_renumber
-- Whoever has a position of the other cluster reads anew.
update event_floors
set written_in = :oldest, seq = 0
where written_in >= :following

-- name: feed_floors_add
insert into event_floors (owner_id, written_in, seq)
select distinct e.owner_id, cast(:oldest as bigint), cast(0 as bigint)
from events e
where e.written_in >= :following
on conflict (owner_id) do update set
    written_in = excluded.written_in, seq = excluded.seq

-- name: feed_events_renumber
-- The events count as written before all that is written here.
update events
set written_in = 0
where written_in >= :following
