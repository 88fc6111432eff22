-- A part of the graph: what is around nodes, and paths between two of them.

-- fragment: held
-- A relation that holds, or that held at :as_of.
{0}.valid_to is null --unless as_of
coalesce({0}.valid_from, {0}.created_at) <= :as_of and ({0}.valid_to is null or {0}.valid_to > :as_of) --if as_of

-- fragment: followed
-- The relations that a call may follow.
{visible_edge {0}} and {held {0}}
and {0}.tag in {each tags} --if tags

-- fragment: strength
-- Thickness without decay, which needs no clock. PostgreSQL refuses products that round to zero.
case when {0}.weight < 1e-100 or {0}.confidence < 1e-100 then 0.0 else {0}.weight * {0}.confidence end

-- fragment: at_frontier
-- PostgreSQL expects 100 entries of a list, and reads all of 100,000 edges for them (50 ms). Of a short list it is told
-- that it is short (0.4 ms).
{0} in (select f.value from {each frontier} as f limit 20) --if is_short
{0} in {each frontier} --unless is_short

-- fragment: is_listed
-- Looked up in a table of the list for each row. As a plain condition, SQLite would look for each pair of 5,000 sources and
-- 5,000 targets, and PostgreSQL would compare each row with the whole list.
case when {0} in {each {1}} then 1 else 0 end = 1

-- name: nodes_beyond
-- One step of a search, whichever way relations point: the nodes next to the frontier that were not seen before, those
-- with the strongest relation first, each with how many there are.
select found.id, count(*) over ()
from (
    select e.target_id as id, {strength e} as strength, e.seq
    from edges e
    where {followed e} and {at_frontier e.source_id} and e.target_id not in {each seen}
      and e.target_kind in {each kinds} --if kinds
    union all
    select e.source_id as id, {strength e} as strength, e.seq
    from edges e
    where {followed e} and {at_frontier e.target_id} and e.source_id not in {each seen}
      and e.source_kind in {each kinds} --if kinds
) as found
group by found.id
order by max(found.strength) desc, min(found.seq)
limit :limit

-- name: nodes_drawn
-- What a picture shows of nodes, and whether they hold at :now.
select n.id, n.namespace, n.kind, n.title, substr(n.content, 1, :beginning), n.boundary_class, n.valid_to,
       case when {recallable n} and {holds n} then 1 else 0 end
from nodes n
where {visible_or_masked n} and n.id in {each ids}

-- name: node_degrees
-- How many relations nodes have that a call may follow, to nodes of its kinds or those that it starts from; a relation
-- of a node to itself counts once. Each way counts up to :most, so that a name that half of the store mentions costs
-- milliseconds.
select i.value, (
    select count(*) from (
        select 1
        from edges e
        where {followed e} and e.source_id = i.value
          and (e.target_kind in {each kinds} or e.target_id in {each starts}) --if kinds
        limit :most
    ) as outward
) + (
    select count(*) from (
        select 1
        from edges e
        where {followed e} and e.target_id = i.value and e.source_id <> e.target_id
          and (e.source_kind in {each kinds} or e.source_id in {each starts}) --if kinds
        limit :most
    ) as inward
)
from {each ids} as i

-- name: edges_drawn
with clocks as materialized {clocks}
select e.source_id, e.target_id, e.tag, e.weight, {thickness e c} as thickness, e.judge, e.valid_to
from edges e
left join clocks c on c.namespace = e.source_namespace
where {followed e} and e.source_id in {each ids} and {is_listed e.target_id ids}
order by thickness desc, e.seq
limit :limit

-- name: edges_across
-- The relations between two sets of nodes that have none in common; those of the first are found by an index.
select {edge e}
from edges e
where e.owner_id = :owner and e.seq in (
    select o.seq from edges o
    where {followed o} and o.source_id in {each near} and {is_listed o.target_id far}
    union all
    select i.seq from edges i
    where {followed i} and i.target_id in {each near} and {is_listed i.source_id far}
)
order by {strength e} desc, e.seq
limit :limit
