-- The neighbourhood of some nodes on SQLite: a few edges of each, found by their keys.

-- name: edges_around
select e.source_id, e.target_id, e.tag, e.weight * e.confidence
from {each frontier} as f
cross join edges e on e.seq in (
    select o.seq from (
        select o.seq from edges o
        where {walkable o} and o.source_id = f.value
        limit :each
    ) as o
    union all
    select i.seq from (
        select i.seq from edges i
        where {walkable i} and i.target_id = f.value
        limit :each
    ) as i
)
limit :limit
