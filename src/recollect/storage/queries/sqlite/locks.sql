-- SQLite has one writer at a time: nothing to lock.

-- name: lock_edges_shared
select 1

-- name: lock_edges_alone
select 1
