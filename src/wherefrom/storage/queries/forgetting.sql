-- Forgetting: what is to be forgotten, and erasing all that is stored of it.

-- name: nodes_observed
-- What people and sources said in a time; entities are only names in it.
select {node n}
from nodes n
where {visible n} and n.kind <> 'entity'
  and n.observed_at >= :since --if since
  and n.observed_at <= :until --if until
order by n.observed_at, n.seq
limit :limit

-- name: nodes_naming_sources
-- All that may name a source by itself; fragments of pages come from theirs.
select {node n}
from nodes n
where {visible n} and (
    n.kind = 'page'
    or (n.kind in ('memo', 'claim', 'fragment') and n.page_id is null and (n.provenance <> '{}' or n.metadata <> '{}'))
)
order by n.seq

-- name: fragments_seen
select {node n}
from nodes n
where {visible n} and n.page_id in {each ids}
order by n.seq

-- name: claims_judged_from
-- The claims that fragments of these pages say something about.
select distinct e.target_id
from edges e
where {visible_edge e} and e.page_id in {each pages} and e.source_kind = 'fragment' and e.target_kind = 'claim'

-- name: claims_judged_elsewhere
-- The claims among these that another source says something about, whoever may see it.
select distinct e.target_id
from edges e
where e.owner_id = :owner and e.target_id in {each ids} and e.source_kind = 'fragment'
  and (e.page_id is null or e.page_id not in {each pages})

-- name: pages_kept
-- The pages among these that have a fragment which is not among them: it would go with its page.
select distinct f.page_id
from nodes f
where f.owner_id = :owner and f.page_id in {each ids} and f.id not in {each ids}

-- name: entities_named
select n.id
from names m
join nodes n on n.owner_id = :owner and n.id = m.node_id
where m.owner_id = :owner and m.head in {each heads} and m.name in {each names} and {visible n} and n.kind = 'entity'

-- name: mentioning_ids
select distinct e.source_id
from edges e
where {visible_edge e} and e.target_id in {each ids} and e.tag = 'mentions'

-- name: edges_seen_of
-- How many relations of these nodes the access sees.
select count(*)
from edges e
where {visible_edge e} and e.seq in (
    select o.seq from edges o where o.owner_id = :owner and o.source_id in {each ids}
    union
    select i.seq from edges i where i.owner_id = :owner and i.target_id in {each ids}
)

-- name: versions_count
select count(*)
from node_versions v
where v.owner_id = :owner and v.node_id in {each ids}

-- name: erase_contexts
-- A context says why it holds a node, and in its question perhaps what the node says.
delete from active_contexts
where owner_id = :owner and id in (
    select i.context_id from active_context_items i where i.owner_id = :owner and i.node_id in {each ids}
)

-- name: erase_events
delete from events
where owner_id = :owner and (node_id in {each ids} or other_id in {each ids})

-- name: erase_receipts
-- Receipts of the nodes, of all that went with them, and of relations to them.
delete from retired
where owner_id = :owner and (node_id in {each ids} or target_id in {each ids})

-- name: erase_stand_ins
update retired
set stand_in = null
where owner_id = :owner and stand_in in {each ids}

-- name: erase_corrections
-- Corrections of what these nodes say about claims that stay.
delete from corrections
where owner_id = :owner and source_id in {each ids}

-- name: erase_plans
-- Plans of insight give reasons for relations.
delete from insight_plans
where owner_id = :owner and exists (
    select 1 from {each ids} as v where insight_plans.content like '%"' || v.value || '"%'
)

-- name: erase_metabolism_plans
delete from metabolism_plans
where owner_id = :owner and exists (
    select 1 from {each ids} as v where metabolism_plans.content like '%"' || v.value || '"%'
)
