-- Vectors: one for each node and model, made of the title and text whose hash stands beside it.
create table embedding_models (
    number      integer primary key autoincrement,
    model_id    text not null unique,
    dimension   integer not null check (dimension > 0),
    state       text not null check (state in ('active', 'filling')),
    created_at  text not null
);
create unique index embedding_models_one_active on embedding_models (state) where state = 'active';

create table embeddings (
    owner_id      text not null,
    node_seq      integer not null references nodes (seq) on delete cascade,
    model         integer not null references embedding_models (number),
    content_hash  text not null,
    vector        blob not null,
    unique (node_seq, model, owner_id)
);
create index embeddings_by_model on embeddings (model);

-- Nodes that wait for the vector of the active model. A worker takes some on lease.
create table pending_embeddings (
    owner_id      text not null,
    node_seq      integer not null references nodes (seq) on delete cascade,
    leased_until  text,
    error         text,
    unique (node_seq, owner_id)
);
insert into pending_embeddings (owner_id, node_seq)
select owner_id, seq from nodes where kind in ('memo', 'claim', 'fragment', 'entity');

-- Which nodes the vector index has to read again: their vector, or what decides who may see them.
-- The salt tells this history from that of a copy which went another way. The log forgets what is long past.
create table changes (
    seq       integer primary key autoincrement,
    node_seq  integer not null,
    salt      integer not null default (random())
);
create trigger changes_are_forgotten after insert on changes when new.seq % 10000 = 0
begin
    delete from changes where seq < new.seq - 100000;
end;
create trigger embeddings_added after insert on embeddings
begin
    insert into changes (node_seq) values (new.node_seq);
end;
create trigger embeddings_changed after update on embeddings
begin
    insert into changes (node_seq) values (new.node_seq);
end;
create trigger embeddings_removed after delete on embeddings
begin
    insert into changes (node_seq) values (old.node_seq);
end;
create trigger nodes_moved after update of owner_id, namespace, kind, boundary_class on nodes
when old.owner_id is not new.owner_id or old.namespace is not new.namespace
    or old.kind is not new.kind or old.boundary_class is not new.boundary_class
begin
    insert into changes (node_seq) values (new.seq);
end;

alter table nodes add column task_id text;
create index nodes_of_task on nodes (owner_id, task_id, kind) where task_id is not null;
