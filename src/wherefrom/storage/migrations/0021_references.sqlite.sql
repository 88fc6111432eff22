-- Ids by their last six characters (the first ones are the time, which ids of one minute share), and titles whatever
-- the case of A to Z.
create index nodes_by_tail on nodes (owner_id, substr(id, length(id) - 5));
create index nodes_by_title on nodes (owner_id, lower(title)) where title is not null;
create index retired_by_tail on retired (owner_id, substr(node_id, length(node_id) - 5)) where kind = 'node';
insert into sqlite_stat1 (tbl, idx, stat) values
    ('nodes', 'nodes_by_tail', '1000000 500000 2'),
    ('nodes', 'nodes_by_title', '500000 250000 2'),
    ('retired', 'retired_by_tail', '100000 50000 2');

-- Read them at once: this connection goes on being used.
analyze sqlite_schema;
