-- Keys of a service. Most statements read those whose root lies in the root of an access.

-- fragment: key_columns = id, name, role, root, also, namespace, allow, tools, created_at, created_by, rotated_at, expires_at, revoked_at, last_used_at

-- name: key_of_caller
-- The one statement that every call of a service runs: by the id alone, whoever owns the key.
select owner_id, hash, former_hash, former_until, {key_columns}
from keys
where id = :id

-- name: key_get
select {key_columns}
from keys
where owner_id = :owner and id = :id and {within root root}

-- name: key_list
select {key_columns}
from keys
where owner_id = :owner and {within root root}
  and id < :before --if before
order by id desc
limit :limit

-- name: keys_referred
select k.id, k.name, k.created_at
from keys k
where k.owner_id = :owner and {within k.root root} and {is_given k.id}
order by k.id desc
limit :limit

-- name: key_named
select id
from keys
where owner_id = :owner and name = :name and revoked_at is null

-- name: key_insert
insert into keys (owner_id, hash, {key_columns})
values (:owner, :hash, :id, :name, :role, :root, :also, :namespace, :allow, :tools, :created_at, :created_by,
        null, :expires_at, null, null)

-- name: key_rotate
update keys
set hash = :hash,
    former_hash = case when cast(:former_until as text) is null then null else keys.hash end,
    former_until = :former_until,
    rotated_at = :now,
    expires_at = :expires_at
where owner_id = :owner and id = :id and revoked_at is null

-- name: key_revoke
update keys
set revoked_at = :now, former_hash = null, former_until = null
where owner_id = :owner and id = :id and revoked_at is null

-- name: keys_used
update keys
set last_used_at = r.at
from {rows id text, at text}
where keys.id = r.id and (keys.last_used_at is null or keys.last_used_at < r.at)

-- name: keys_usable
-- A row if there is a key that lets somebody in.
select 1
from keys
where revoked_at is null and (expires_at is null or expires_at > :now)
limit 1

-- name: keys_made
-- A row if there is a key, be it expired or revoked.
select 1
from keys
limit 1

-- name: keys_of_owner
select id, root, also, namespace
from keys
where owner_id = :owner

-- name: keys_move
update keys
set root = r.root, also = r.also, namespace = r.namespace
from {rows id text, root text, also text, namespace text}
where keys.owner_id = :owner and keys.id = r.id
