-- Turns of conversations: who says a text, and the session that it belongs to.
alter table nodes add column speaker {key};
alter table nodes add column session {key};

-- The turns of a session in their order.
create index nodes_of_session on nodes (owner_id, namespace, session, observed_at, seq) where session is not null;

-- The same words said again in a session are a turn of their own, unless the same speaker says them at the same time.
drop index nodes_same_text;
create unique index nodes_same_text on nodes
    (owner_id, namespace, kind, content_hash, coalesce(task_id, ''), coalesce(page_id, ''), coalesce(position, -1),
     boundary_class, coalesce(slot, ''),
     (case when valid_to is null or kind not in ('memo', 'claim') then '' else id end),
     coalesce(session, ''), (case when session is null then '' else coalesce(speaker, '') end),
     (case when session is null then '' else observed_at end));

insert into sqlite_stat1 (tbl, idx, stat) values
    ('nodes', 'nodes_same_text', '1000000 500000 100000 50000 2 2 2 1 1 1 1 1 1 1'),
    ('nodes', 'nodes_of_session', '100000 50000 10000 20 2 1');

-- Read them at once: this connection goes on being used.
analyze sqlite_schema;
