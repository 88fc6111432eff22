-- The neighbourhood of some nodes on PostgreSQL: a few edges of each, found by their keys.

-- name: edges_around
select e.source_id, e.target_id, e.tag, e.weight * {trusted e}
from {each frontier} as f
cross join lateral (
    (select o.source_id, o.target_id, o.tag, o.weight, o.confidence, o.judge
        from edges o
        where {walkable o} and o.source_id = f.value
        limit :each)
    union all
    (select i.source_id, i.target_id, i.tag, i.weight, i.confidence, i.judge
        from edges i
        where {walkable i} and i.target_id = f.value
        limit :each)
) as e
limit :limit

-- name: texts_with_names
-- The texts in which names stand, or :only_begun by them: of each name a list, at most :each, first those that begin with
-- it. Each text is its place, a digit, and its id.
select f.value, cast(m.texts as text)
from {each names} as f
cross join lateral (
    select json_agg(t.place || t.node_id) as texts
    from (
        select s.node_id, s.place
        from names_in_texts s
        where s.owner_id = :owner and s.name = f.value and {visible_by_name s}
          and s.place = 0 --if only_begun
        order by s.place, s.node_id
        limit :each
    ) as t
) as m
where m.texts is not null

-- name: node_seqs
-- The seqs of so many new nodes, which nobody else will have.
select nextval('nodes_seq_seq')
from generate_series(1, cast(:number as integer))
