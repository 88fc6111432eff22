-- Tables of the connection on PostgreSQL.

-- name: clocks_table
create temp table if not exists metabolism_clocks (
    namespace text collate "C" primary key, newest text collate "C", newest_day double precision, rate double precision,
    vanished text collate "C", halved text collate "C", threshold double precision, protected text collate "C"
)

-- name: gone_table
create temp table if not exists metabolism_gone (seq bigint primary key)

-- name: lock_runs
lock table metabolism_runs in share row exclusive mode
