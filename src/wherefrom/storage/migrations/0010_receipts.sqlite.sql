-- Where the edges led to that went before.
update retired set target_id = json_extract(content, '$$.target_id') where kind = 'edge';

-- The planner's figures for the tables of metabolism.
insert into sqlite_stat1 (tbl, idx, stat) values
    ('retired', 'sqlite_autoindex_retired_1', '100000 50000 1'),
    ('retired', 'retired_by_node', '100000 50000 2'),
    ('retired', 'retired_by_target', '100000 50000 2'),
    ('retired', 'retired_by_stand_in', '10000 5000 2'),
    ('retired', 'retired_by_run', '100000 50000 1000 1'),
    ('retired', 'retired_in_time', '100000 50000 100'),
    ('nodes', 'nodes_represented', '10000 5000 2'),
    ('metabolism_runs', 'sqlite_autoindex_metabolism_runs_1', '1000 500 1');

analyze sqlite_schema;
