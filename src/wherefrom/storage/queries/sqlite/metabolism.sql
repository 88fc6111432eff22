-- Clocks and edges from JSON parameters, on SQLite.

-- fragment: clocks
(select c.*, {day c.newest} as newest_day
from (
    select cast(j.value ->> 'namespace' as text) as namespace, j.value ->> 'newest' as newest, j.value ->> 'rate' as rate,
           j.value ->> 'vanished' as vanished, j.value ->> 'halved' as halved,
           j.value ->> 'threshold' as threshold, j.value ->> 'protected' as protected
    from json_each(:clocks) as j
) as c)

-- name: thickness_of_edges
-- The thickness of edges that are given with their clocks, in their order. Because of the limit SQLite reads the JSON
-- once, and not for each use of a column.
select {thickness e e}
from (
    select r.*, {day r.newest} as newest_day
    from (
        select j.id as place, j.value ->> 'tag' as tag, j.value ->> 'weight' as weight,
               j.value ->> 'confidence' as confidence, j.value ->> 'observed_at' as observed_at,
               j.value ->> 'newest' as newest, j.value ->> 'rate' as rate, j.value ->> 'vanished' as vanished
        from json_each(:edges) as j
        limit -1
    ) as r
) as e
order by e.place
