-- Tables of the connection on PostgreSQL.

-- name: clocks_table
create temp table if not exists metabolism_clocks (
    namespace text collate "C" primary key, newest text collate "C", newest_day double precision, rate double precision,
    vanished text collate "C", threshold double precision, protected text collate "C"
) on commit delete rows

-- name: gone_table
create temp table if not exists metabolism_gone (seq bigint primary key) on commit delete rows

-- name: lock_runs
lock table metabolism_runs in share row exclusive mode
