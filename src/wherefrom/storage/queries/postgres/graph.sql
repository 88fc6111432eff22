-- The neighbourhood of some nodes on PostgreSQL: a few edges of each, found by their keys.

-- name: edges_around
select e.source_id, e.target_id, e.tag, e.weight * e.confidence
from {each frontier} as f
cross join lateral (
    (select o.source_id, o.target_id, o.tag, o.weight, o.confidence
        from edges o
        where {walkable o} and o.source_id = f.value
        limit :each)
    union all
    (select i.source_id, i.target_id, i.tag, i.weight, i.confidence
        from edges i
        where {walkable i} and i.target_id = f.value
        limit :each)
) as e
limit :limit
