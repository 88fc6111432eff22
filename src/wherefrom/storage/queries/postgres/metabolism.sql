-- Tables of the connection on PostgreSQL, and edges that are given as JSON.

-- name: clocks_table
create temp table if not exists metabolism_clocks (
    namespace text collate "C" primary key, newest text collate "C", newest_day double precision, rate double precision,
    vanished text collate "C", halved text collate "C", threshold double precision, protected text collate "C"
)

-- name: gone_table
create temp table if not exists metabolism_gone (seq bigint primary key)

-- name: lock_runs
lock table metabolism_runs in share row exclusive mode

-- name: thickness_of_edges
-- The thickness of edges that are given with their clocks, in their order.
select {thickness e e}
from (
    select r.*, {day r.newest} as newest_day
    from rows from (
        jsonb_to_recordset(cast(:edges as jsonb)) as (
            tag text, weight double precision, confidence double precision, observed_at text collate "C",
            newest text collate "C", rate double precision, vanished text collate "C"
        )
    ) with ordinality as r (tag, weight, confidence, observed_at, newest, rate, vanished, place)
) as e
order by e.place
