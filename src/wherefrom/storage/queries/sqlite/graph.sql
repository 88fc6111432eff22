-- The neighbourhood of some nodes on SQLite: a few edges of each, found by their keys.

-- name: edges_around
select e.source_id, e.target_id, e.tag, e.weight * {trusted e}
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

-- name: texts_with_names
-- The texts in which names stand, or :only_begun by them: of each name a list, at most :each, first those that begin with
-- it. Each text is its place, a digit, and its id.
select f.value, (
    select json_group_array(t.text) from (
        select s.place || s.node_id as text
        from names_in_texts s
        cross join nodes n on n.owner_id = :owner and n.id = s.node_id
        where s.owner_id = :owner and s.name = f.value and {visible n}
          and s.place = 0 --if only_begun
        order by s.place, s.node_id
        limit :each
    ) as t
)
from {each names} as f
where exists (
    select 1
    from names_in_texts s
    where s.owner_id = :owner and s.name = f.value
      and s.place = 0 --if only_begun
)

-- name: node_seqs
-- The seqs of so many new nodes; nobody else writes meanwhile.
with recursive following (seq) as (
    select coalesce((select s.seq from sqlite_sequence s where s.name = 'nodes'), 0) + 1
    union all
    select f.seq + 1 from following f
    limit :number
)
select f.seq
from following f
