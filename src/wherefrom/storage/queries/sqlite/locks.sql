-- SQLite has one writer at a time: nothing to lock.

-- name: lock_edges_shared
select 1

-- name: lock_edges_alone
select 1

-- name: wait_briefly
select 1

-- name: model_held
select m.number, m.model_id, m.dimension
from embedding_models m
where m.state = 'active'

-- name: nodes_hold
-- A write already excludes all others.
select 1
where :owner is not null and :id is not null

-- name: lock_policies
select 1
