-- Writers commit in any order: events are read transaction by transaction, up to the oldest one that is under way.

-- fragment: written_in = {0}.written_in

-- name: feed_end
-- The position behind all events that are visible for good: before the first event of the oldest running transaction.
select cast(cast(pg_snapshot_xmin(pg_current_snapshot()) as text) as bigint), 0

-- name: feed_after
select {feed_columns e}
from events e
where (e.written_in, e.seq) > (cast(:written_in as bigint), cast(:seq as bigint))
  and (e.written_in, e.seq) <= (cast(:end_written_in as bigint), cast(:end_seq as bigint)) and {feed_shown e}
  and e.owner_id = :owner
order by e.written_in, e.seq
limit :limit

-- name: feed_owners
select distinct e.owner_id
from events e
where (e.written_in, e.seq) > (cast(:written_in as bigint), cast(:seq as bigint))
  and (e.written_in, e.seq) <= (cast(:end_written_in as bigint), cast(:end_seq as bigint)) and {feed_shown e}
