-- The neighbourhood of some nodes on PostgreSQL: a few edges of each, found by their keys.

-- name: edges_around
-- What contradicts or replaces leads nowhere.
select e.source_id, e.target_id, e.tag, e.weight * e.confidence
from {each frontier} as f
cross join lateral (
    (select o.* from edges o where o.owner_id = :owner and o.source_id = f.value limit :each)
    union all
    (select i.* from edges i where i.owner_id = :owner and i.target_id = f.value limit :each)
) as e
where {visible_edge e} and e.tag not in ('contradicts', 'conflicts', 'refutes', 'supersedes')
limit :limit
