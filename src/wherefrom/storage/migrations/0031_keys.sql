-- Keys: who may call a service, as what, and what of a node came from whom.

-- A secret is not kept: only its SHA-256. After a rotation, the former secret may hold until `former_until`.
create table keys (
    owner_id      {key} not null,
    id            {key} not null,
    name          {key} not null,
    hash          {key} not null,
    former_hash   {key},
    former_until  {key},
    role          text not null check (role in ('read', 'write', 'admin')),
    root          {key} not null,
    also          text not null,
    namespace     {key},
    allow         text not null,
    tools         text not null,
    created_at    {key} not null,
    created_by    {key},
    rotated_at    {key},
    expires_at    {key},
    revoked_at    {key},
    last_used_at  {key},
    constraint keys_key primary key (owner_id, id)
);

-- A caller gives a key's id, and not whose it is.
create unique index keys_by_id on keys (id);

-- A name says who wrote a node, so that two keys in use do not share it.
create unique index keys_by_name on keys (owner_id, name) where revoked_at is null;

-- written_by: the name of the key that the version came with; null: it came without one.
-- imported_from: the writer that an imported file names, which nobody has checked.
alter table nodes add column written_by {key};
alter table nodes add column imported_from {key};
