-- Tables of the connection on SQLite.

-- name: clocks_table
create temp table if not exists metabolism_clocks (
    namespace text primary key, newest text, newest_day real, rate real, vanished text, halved text,
    threshold real, protected text
) without rowid

-- name: gone_table
create temp table if not exists metabolism_gone (seq integer primary key)

-- name: lock_runs
select 1
