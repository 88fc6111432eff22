-- Numbers of transactions that a restore brought from another cluster: no transaction of this one has them yet.

-- fragment: oldest_transaction = cast(cast(pg_snapshot_xmin(pg_current_snapshot()) as text) as bigint)

-- fragment: next_transaction = cast(cast(pg_snapshot_xmax(pg_current_snapshot()) as text) as bigint)

-- name: feed_is_restored
select exists (select 1 from events e where e.written_in >= {next_transaction})
    or exists (select 1 from event_floors f where f.written_in >= {next_transaction})

-- name: feed_renumber
-- The events count as written before all that is written here. Whoever has a position of the other cluster reads anew.
with renumbered as (
    update events set written_in = 0 where written_in >= {next_transaction} returning owner_id
)
insert into event_floors (owner_id, written_in, seq)
select r.owner_id, {oldest_transaction}, 0
from (
    select owner_id from renumbered
    union
    select f.owner_id from event_floors f where f.written_in >= {next_transaction}
) r
on conflict (owner_id) do update set
    written_in = excluded.written_in, seq = excluded.seq
