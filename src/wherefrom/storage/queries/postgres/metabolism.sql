-- Clocks and edges from JSON parameters, on PostgreSQL.

-- fragment: clocks
(select c.*, {day c.newest} as newest_day
from jsonb_to_recordset(cast(:clocks as jsonb)) as c (
    namespace text collate "C", newest text collate "C", rate double precision, vanished text collate "C",
    halved text collate "C", threshold double precision, protected text collate "C"
))

-- name: thickness_of_edges
-- The thickness of edges that are given with their clocks, in their order.
select {thickness e e}
from (
    select r.*, {day r.newest} as newest_day
    from rows from (
        jsonb_to_recordset(cast(:edges as jsonb)) as (
            tag text, weight double precision, confidence double precision, observed_at text collate "C",
            newest text collate "C", rate double precision, vanished text collate "C"
        )
    ) with ordinality as r (tag, weight, confidence, observed_at, newest, rate, vanished, place)
) as e
order by e.place
