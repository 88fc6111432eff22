-- Personal data in a memory of one's own: kept, and shown to others without them.

-- The class of the text without its personal data; null: the text has none, or nobody sees it so.
alter table nodes add column shared_class text check (shared_class in ('public', 'internal', 'pii'));

-- Whether personal data are kept (personal) or taken out (shared); the owner '' stands for all who chose nothing.
create table privacy (
    owner_id   $key not null primary key,
    mode       text not null check (mode in ('personal', 'shared')),
    chosen_at  $key not null
);
insert into privacy (owner_id, mode, chosen_at) values ('', '$privacy', '$now');
