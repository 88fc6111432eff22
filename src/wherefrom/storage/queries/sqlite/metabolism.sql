-- Tables of the connection on SQLite, and edges that are given as JSON.

-- name: clocks_table
create temp table if not exists metabolism_clocks (
    namespace text primary key, newest text, newest_day real, rate real, vanished text, halved text,
    threshold real, protected text
) without rowid

-- name: gone_table
create temp table if not exists metabolism_gone (seq integer primary key)

-- name: lock_runs
select 1

-- name: thickness_of_edges
-- The thickness of edges that are given with their clocks, in their order. With the limit SQLite reads the JSON once, and
-- not for each use of a column.
select {thickness e e}
from (
    select r.*, {day r.newest} as newest_day
    from (
        select j.id as place, j.value ->> 'tag' as tag, j.value ->> 'weight' as weight,
               j.value ->> 'confidence' as confidence, j.value ->> 'observed_at' as observed_at,
               j.value ->> 'newest' as newest, j.value ->> 'rate' as rate, j.value ->> 'vanished' as vanished
        from json_each(:edges) as j
        limit -1
    ) as r
) as e
order by e.place
