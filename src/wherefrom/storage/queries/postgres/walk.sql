-- The names of a step of a walk on PostgreSQL, where two statements would take two trips to the server.

-- fragment: visible_by_name
-- One by one, in the order of the index and until there are enough: a join would look at all texts with a name, and sort.
exists (select 1 from nodes n where n.owner_id = :owner and n.id = {0}.node_id and {visible n} offset 0)

-- name: names_around
-- The names in some texts (own), and of each name at most :each of the texts in which it stands, first those that begin
-- with it. Of a name that none of these texts begins with, at most :begun texts that begin with it, unless :shares and it
-- is longer than a word with a capital.
with own as materialized (
    select m.name, m.node_id, m.place
    from names_in_texts m
    join nodes n on n.owner_id = :owner and n.id = m.node_id
    where m.owner_id = :owner and m.node_id in {each ids} and {visible n}
), wanted as materialized (
    select o.name, case
        when left(o.name, 1) <> '^' then 1 --if shares
        when min(o.place) = 0 then 1
        else 0
    end as furthest
    from own o
    group by o.name
    limit :names
)
select o.name, o.node_id, o.place, true as is_own
from own o
union all
select m.name, m.node_id, m.place, false
from wanted w
cross join lateral (
    select s.name, s.node_id, s.place
    from names_in_texts s
    where s.owner_id = :owner and s.name = w.name and s.place <= w.furthest and {visible_by_name s}
    order by s.place, s.node_id
    limit case when w.furthest = 0 then :begun else :each end
) as m
