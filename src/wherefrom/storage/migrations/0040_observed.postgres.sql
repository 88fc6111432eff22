-- A question that names a time is searched among the nodes of that time; without this index all nodes are read for it.
create index nodes_by_observed on nodes (owner_id, observed_at);
