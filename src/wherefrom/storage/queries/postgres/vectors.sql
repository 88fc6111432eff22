-- Vectors on PostgreSQL: pgvector. The model's number and dimension stand in the text, because an index
-- belongs to one model and has to know its dimension.

-- name: vector_settings
-- Nearest first from the index, until enough rows pass the filter; no plan that reads all of them and sorts.
select set_config('hnsw.iterative_scan', 'strict_order', true),
       set_config('hnsw.ef_search', cast(:effort as text), true),
       set_config('hnsw.max_scan_tuples', '200000', true),
       set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true),
       set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)

-- name: vector_nearest
select n.id, vector_send(e.vector)
from embeddings e
join nodes n on n.owner_id = e.owner_id and n.seq = e.node_seq
where e.model = {literal model} and e.owner_id = :owner and {visible_or_masked n} and n.kind in {each kinds} and {live n}
order by cast(e.vector as vector({literal dimension})) <=> cast(:question as vector({literal dimension})) --unless half
order by cast(e.vector as halfvec({literal dimension})) <=> cast(:question as halfvec({literal dimension})) --if half
limit :limit

-- name: vector_scan
-- The filter first, then the distance of every row that passes.
with found as (
    select n.id, e.node_seq, e.vector <=> cast(:question as vector) as distance
    from nodes n
    join embeddings e on e.owner_id = n.owner_id and e.node_seq = n.seq and e.model = {literal model}
    where {visible_or_masked n} and n.kind in {each kinds} and {live n}
      and n.seq in (select cast(jsonb_array_elements_text(cast(:within as jsonb)) as bigint)) --if within
),
best as (
    select found.id, found.node_seq, found.distance, count(*) over () as searched
    from found
    order by found.distance
    limit :limit
)
select best.id, vector_send(e.vector), best.searched
from best
join embeddings e on e.owner_id = :owner and e.node_seq = best.node_seq and e.model = {literal model}
order by best.distance

-- name: vector_settings_end
select set_config('enable_sort', 'on', true), set_config('enable_seqscan', 'on', true),
       set_config('enable_hashjoin', 'on', true), set_config('enable_mergejoin', 'on', true)

-- name: vector_indexed
select 1
from pg_index i
where i.indexrelid = to_regclass(:name) and i.indisvalid

-- name: embedding_total
select count(*)
from embeddings e
join nodes n on n.owner_id = e.owner_id and n.seq = e.node_seq
where e.model = {literal model} and {visible_or_masked n} and n.kind in {each kinds}
