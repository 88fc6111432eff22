-- Vectors on SQLite: the statements of the index in memory.

-- name: changes_range
select coalesce((select min(seq) from changes), 0), coalesce((select max(seq) from changes), 0),
       (select salt from changes order by seq desc limit 1)

-- name: changes_since
-- Each node that has changed, once, with its vector now; null if it has none any more.
select c.node_seq, e.vector, n.owner_id, n.namespace, n.kind, {open_class n}
from (select distinct node_seq from changes where seq > :after) as c
left join embeddings e on e.node_seq = c.node_seq and e.model = :model
left join nodes n on n.seq = e.node_seq

-- name: change_salt
select salt from changes where seq = :seq

-- name: embeddings_all
-- In the order of the nodes, by the index that has it; + keeps the planner from the one by model.
select e.node_seq, e.vector, n.owner_id, n.namespace, n.kind, {open_class n}
from embeddings e
cross join nodes n on n.seq = e.node_seq
where +e.model = :model
order by e.node_seq

-- name: embeddings_extent
-- The number of a model's vectors, and the first and the last node with one.
select count(*), min(e.node_seq), max(e.node_seq)
from embeddings e
where +e.model = :model

-- name: embeddings_some
select e.node_seq, e.vector
from embeddings e
where e.model = :model and e.node_seq in {each seqs}

-- name: embedding_rows
-- Those candidates of the index that exist and that the access may see.
select n.id, e.vector, {said n}
from json_each(:seqs) as s
cross join nodes n on n.seq = s.value
cross join embeddings e on e.node_seq = n.seq and e.model = :model
where {visible_or_masked n} and {among n.kind kinds} and {recallable n}
