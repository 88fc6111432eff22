-- Locks of an owner; storage/locks.py says which transaction takes which.

-- name: lock_owner_shared
select 1
from owners o
where o.owner_id = :owner
for share

-- name: lock_owner_alone
update owners
set times_alone = times_alone + 1
where owner_id = :owner

-- name: lock_owners
update owners
set times_alone = times_alone + 1

-- name: owner_add
-- The share lock makes a transaction that wants to be alone with all owners wait for this new one.
insert into owners (owner_id)
select cast(:owner as text)
from owners s
where s.owner_id = ''
for share
on conflict (owner_id) do nothing

-- name: see_each_commit
set transaction isolation level read committed

-- name: one_by_one
-- Citus changes all owners' rows over several connections at once, and then refuses to change what they refer to.
-- Elsewhere this is a setting that nobody reads.
set local citus.multi_shard_modify_mode = 'sequential'

-- name: lock_models
select pg_advisory_xact_lock(120325193165939)

-- name: wait_briefly
set local lock_timeout = '2s'

-- name: nodes_hold
update nodes
set version = version
where owner_id = :owner and id in {each ids}
