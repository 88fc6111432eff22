-- Ids by their last six characters (the first ones are the time, which ids of one minute share), and titles whatever
-- the case of A to Z.
create index nodes_by_tail on nodes (owner_id, substr(id, length(id) - 5));
create index nodes_by_title on nodes (owner_id, lower(title collate "C")) where title is not null;
create index retired_by_tail on retired (owner_id, substr(node_id, length(node_id) - 5)) where kind = 'node';
