-- One writer at a time: the numbers of events are visible in their order.

-- fragment: written_in = 0

-- name: feed_end
-- The position behind all events that are visible for good. (The table of the engine's own knows also deleted ones.)
select 0, coalesce((select s.seq from sqlite_sequence s where s.name = 'events'), 0)

-- name: feed_after
select {feed_columns e}
from events e
where e.seq > :seq and e.seq <= :end_seq and {feed_shown e}
  and e.owner_id = :owner
order by e.seq
limit :limit

-- name: feed_owners
select distinct e.owner_id
from events e
where e.seq > :seq and e.seq <= :end_seq and {feed_shown e}
