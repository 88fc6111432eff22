-- What a review looks through: relations that somebody stated, newest first; and statements in slots in which others,
-- of another boundary class, may hold as well. With the columns of their conditions, so that no row is read in vain.
create index edges_stated on edges (owner_id, seq, tag, judge, valid_to, source_kind)
    where valid_to is null and judge is null and tag <> 'mentions' and source_kind in ('memo', 'claim', 'entity');
create index nodes_in_slot_apart on nodes (owner_id, namespace, slot, boundary_class, valid_to)
    where slot is not null and valid_to is null and boundary_class <> 'internal';

insert into sqlite_stat1 (tbl, idx, stat) values
    ('edges', 'edges_stated', '100000 50000 1 1 1 1 1'),
    ('nodes', 'nodes_in_slot_apart', '1000 500 10 1 1 1');

-- Read them at once: this connection goes on being used.
analyze sqlite_schema;
