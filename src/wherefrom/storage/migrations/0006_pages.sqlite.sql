-- A page takes its fragments with it.
create trigger pages_take_fragments after delete on nodes when old.kind = 'page'
begin
    delete from nodes where owner_id = old.owner_id and page_id = old.id;
end;

-- All that the analyses read of edges, without looking at their rows.
create index edges_of_evidence on edges
    (owner_id, target_id, tag, confidence, source_id, page_id, task_id, domain, year, judge, source_namespace,
     target_namespace, boundary_class)
    where source_kind = 'fragment' and target_kind = 'claim';
create index edges_of_task on edges
    (owner_id, task_id, target_id, tag, confidence, source_id, page_id, domain, year, judge, source_namespace,
     target_namespace, boundary_class)
    where source_kind = 'fragment' and target_kind = 'claim';
create index edges_of_pages on edges
    (owner_id, source_id, target_id, tag, source_namespace, target_namespace, boundary_class, judge)
    where source_kind = 'page' and target_kind = 'page';
create index edges_of_claims on edges
    (owner_id, source_id, target_id, tag, confidence, source_namespace, target_namespace, boundary_class)
    where source_kind = 'claim' and target_kind = 'claim';

-- What a large store is like, for the planner, which would otherwise take an owner for ten rows. Agents write their own
-- SQL, so plans cannot be fixed statement by statement; and figures that never change give plans that never do.
analyze sqlite_schema;
insert into sqlite_stat1 (tbl, idx, stat) values
    ('nodes', 'sqlite_autoindex_nodes_1', '1000000 500000 1'),
    ('nodes', 'nodes_in_order', '1000000 500000 200000 1 1 1'),
    ('nodes', 'nodes_same_text', '1000000 500000 100000 50000 2 2 2 1'),
    ('nodes', 'nodes_of_task', '300000 150000 3000 2500'),
    ('nodes', 'nodes_of_page', '500000 250000 10 1'),
    ('nodes', 'nodes_pages', '50000 25000 1 1 1 1 1'),
    ('nodes', 'nodes_rejected', '1000 500 1'),
    ('nodes', 'nodes_expiring', '100000 50000 2'),
    ('nodes', 'nodes_useful', '100000 50000'),
    ('edges', 'sqlite_autoindex_edges_1', '3000000 1500000 5 2 1'),
    ('edges', 'edges_in_order', '3000000 1500000 1 1 1 1'),
    ('edges', 'edges_into', '3000000 1500000 5 3'),
    ('edges', 'edges_changed', '3000000 1500000 10 1'),
    ('edges', 'edges_of_evidence', '1000000 500000 5 3 2 1 1 1 1 1 1 1 1 1'),
    ('edges', 'edges_of_task', '1000000 500000 5000 5 3 2 1 1 1 1 1 1 1 1'),
    ('edges', 'edges_from_page', '1000000 500000 20'),
    ('edges', 'edges_of_pages', '200000 100000 5 2 1 1 1 1 1'),
    ('edges', 'edges_of_claims', '200000 100000 5 2 1 1 1 1 1'),
    ('tasks', 'sqlite_autoindex_tasks_1', '1000 500 1'),
    ('tasks', 'tasks_in_order', '1000 500 1 1'),
    ('queries', 'sqlite_autoindex_queries_1', '10000 5000 1'),
    ('queries', 'queries_of_task', '10000 5000 10 1');
