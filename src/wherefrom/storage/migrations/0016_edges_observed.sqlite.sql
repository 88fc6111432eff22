-- The newest edge of a namespace, from which thickness is counted: answers that show edges ask for it.
create index edges_observed on edges (owner_id, source_namespace, observed_at);
insert into sqlite_stat1 (tbl, idx, stat) values ('edges', 'edges_observed', '3000000 1500000 500000 2');

-- Read them at once: this connection goes on being used.
analyze sqlite_schema;
