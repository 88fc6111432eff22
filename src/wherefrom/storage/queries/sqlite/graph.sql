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
-- The texts in which names stand, or :only_begun by them: of each name at most :each, first those that begin with it.
select m.name, m.node_id, m.place
from {each names} as f
cross join json_each((
    select json_group_array(t.row) from (
        select s.rowid as row
        from names_in_texts s
        cross join nodes n on n.owner_id = :owner and n.id = s.node_id
        where s.owner_id = :owner and s.name = f.value and {visible n}
          and s.place = 0 --if only_begun
        order by s.place, s.node_id
        limit :each
    ) as t
)) as l
cross join names_in_texts m on m.rowid = l.value

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
