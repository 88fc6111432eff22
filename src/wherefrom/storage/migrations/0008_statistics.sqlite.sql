-- The planner's figures for the other tables. Without them it takes all vectors of a model for ten rows, and reads
-- 100,000 of them to find forty.
insert into sqlite_stat1 (tbl, idx, stat) values
    ('embeddings', 'sqlite_autoindex_embeddings_1', '1000000 1 1 1'),
    ('embeddings', 'embeddings_by_model', '1000000 500000'),
    ('pending_embeddings', 'sqlite_autoindex_pending_embeddings_1', '10000 1 1'),
    ('names', 'names_of_node', '1000000 500000 1'),
    ('edges', 'edges_one_judgement', '1000000 500000 5 1'),
    ('active_contexts', 'sqlite_autoindex_active_contexts_1', '1000 500 1'),
    ('active_contexts', 'active_contexts_expiring', '1000 500 1'),
    ('active_context_items', 'sqlite_autoindex_active_context_items_1', '12000 6000 12 1'),
    ('active_context_items', 'active_context_items_of_node', '12000 6000 2'),
    ('feedback', 'sqlite_autoindex_feedback_1', '10000 5000 1'),
    ('feedback', 'feedback_of_node', '10000 5000 2'),
    ('feedback', 'feedback_by_request', '10000 5000 1'),
    ('corrections', 'corrections_of_claim', '1000 500 2 1'),
    ('retired', 'retired_by_node', '10000 5000 2'),
    ('insight_plans', 'sqlite_autoindex_insight_plans_1', '100000 50000 1'),
    ('insight_plans', 'insight_plans_in_order', '100000 50000 1'),
    ('insight_plans', 'insight_plans_proposed', '1000 500 1');

-- Read them at once: this connection goes on being used.
analyze sqlite_schema;
