-- The neighbourhood of some nodes on PostgreSQL: a few edges of each, found by their keys.

-- name: edges_around
-- What contradicts or replaces leads nowhere.
select e.source_id, e.target_id, e.tag, e.weight * e.confidence
from {each frontier} as f
cross join lateral (
    (select o.source_id, o.target_id, o.tag, o.weight, o.confidence
        from edges o
        where {visible_edge o} and o.source_id = f.value
          and o.tag not in ('contradicts', 'conflicts', 'neutral', 'refutes', 'supersedes')
        limit :each)
    union all
    (select i.source_id, i.target_id, i.tag, i.weight, i.confidence
        from edges i
        where {visible_edge i} and i.target_id = f.value
          and i.tag not in ('contradicts', 'conflicts', 'neutral', 'refutes', 'supersedes')
        limit :each)
) as e
limit :limit
