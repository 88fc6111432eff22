-- Vectors on PostgreSQL: pgvector. The model's number and dimension stand in the text, because an index
-- belongs to one model and has to know its dimension.

-- name: vector_settings
-- The index yields rows, nearest first, until enough pass the filter; the plan must not read and sort all rows.
select set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.max_scan_tuples', '200000', true),
       set_config('hnsw.ef_search', '{literal effort}', true), {planner_set off}

-- name: vector_settings_distributed
-- The same for Citus, which hands on to its other servers what `set local` sets.
set local hnsw.iterative_scan = 'strict_order';
set local hnsw.max_scan_tuples = 200000;
set local hnsw.ef_search = {literal effort};
{planner_may off}

-- name: vector_nearest
select n.id, vector_send(e.vector), {said n}
from embeddings e
join nodes n on n.owner_id = :owner and n.seq = e.node_seq
where e.model = {literal model} and e.owner_id = :owner and {visible_or_masked n} and n.kind in {each kinds} and {recallable n}
order by cast(e.vector as vector({literal dimension})) <=> cast(:question as vector({literal dimension})) --unless half
order by cast(e.vector as halfvec({literal dimension})) <=> cast(:question as halfvec({literal dimension})) --if half
limit :limit

-- name: vector_scan
-- Compute the distance of every row that passes the filter.
with found as (
    select n.id, e.node_seq, e.vector <=> cast(:question as vector) as distance
    from nodes n
    join embeddings e on e.owner_id = :owner and e.node_seq = n.seq and e.model = {literal model}
    where {visible_or_masked n} and n.kind in {each kinds} and {recallable n}
      and n.seq in (select cast(jsonb_array_elements_text(cast(:within as jsonb)) as bigint)) --if within
),
best as (
    select found.id, found.node_seq, found.distance, count(*) over () as searched
    from found
    order by found.distance
    limit :limit
)
select best.id, vector_send(e.vector), {said n}, best.searched
from best
join nodes n on n.owner_id = :owner and n.seq = best.node_seq
join embeddings e on e.owner_id = :owner and e.node_seq = best.node_seq and e.model = {literal model}
order by best.distance

-- name: vector_settings_end
select {planner_set on}

-- name: vector_settings_end_distributed
{planner_may on}

-- fragment: planner_set
set_config('enable_sort', '{0}', true), set_config('enable_seqscan', '{0}', true),
set_config('enable_hashjoin', '{0}', true), set_config('enable_mergejoin', '{0}', true)

-- fragment: planner_may
set local enable_sort = {0};
set local enable_seqscan = {0};
set local enable_hashjoin = {0};
set local enable_mergejoin = {0};

-- name: vector_indexed
-- A row if there is this index, which says whether Citus may keep the rows on other servers.
select to_regclass('pg_dist_partition') is not null
from pg_index i
where i.indexrelid = to_regclass(:name) and i.indisvalid

-- name: embedding_total
select count(*)
from embeddings e
join nodes n on n.owner_id = :owner and n.seq = e.node_seq
where e.owner_id = :owner and e.model = {literal model} and {visible_or_masked n} and n.kind in {each kinds}
