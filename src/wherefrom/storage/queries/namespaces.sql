-- Namespaces: paths that nodes live in.

-- name: namespace_counts
-- || '': makes the planner read the covering index nodes_in_order, and not nodes_same_text with every row.
select n.namespace || '', count(*)
from nodes n
where {visible n}
group by n.namespace || ''
order by 1

-- name: namespace_longest
select coalesce(max(length(held.namespace)), 0)
from (
    select n.namespace from nodes n where n.owner_id = :owner and {inside n.namespace moved}
    union all
    select t.namespace from tasks t where t.owner_id = :owner and {inside t.namespace moved}
) as held

-- name: namespace_unseen
select (select count(*) from nodes n where n.owner_id = :owner and {inside n.namespace moved} and not ({visible n}))
     + (select count(*) from tasks t where t.owner_id = :owner and {inside t.namespace moved} and not ({visible t}))

-- name: namespace_move_nodes
update nodes
set namespace = {moved namespace},
    updated_at = :now,
    version = version + 1
where owner_id = :owner and {inside namespace moved}

-- name: namespace_move_edges
update edges
set source_namespace = case when {inside source_namespace moved}
        then {moved source_namespace}
        else source_namespace end,
    target_namespace = case when {inside target_namespace moved}
        then {moved target_namespace}
        else target_namespace end,
    updated_at = :now,
    version = version + 1
where owner_id = :owner and ({inside source_namespace moved} or {inside target_namespace moved})

-- name: namespace_move_tasks
update tasks
set namespace = {moved namespace},
    updated_at = :now
where owner_id = :owner and {inside namespace moved}

-- name: namespace_classes
-- The boundary classes of the moved nodes, by namespace.
select distinct n.namespace, n.boundary_class
from nodes n
where n.owner_id = :owner and {inside n.namespace moved}

-- name: namespace_slots
-- The number of slots in which a statement holds at the source and at the target.
select count(distinct n.id)
from nodes n
join nodes other
  on other.owner_id = :owner and other.slot = n.slot and other.boundary_class = n.boundary_class
 and other.namespace = {moved n.namespace} and other.valid_to is null
where n.owner_id = :owner and n.slot is not null and n.valid_to is null and {inside n.namespace moved}

-- name: namespace_collisions
-- The number of texts that are also at the target, as far as the access sees them there.
select count(distinct n.id)
from nodes n
join nodes other
  on other.owner_id = :owner and other.kind = n.kind and other.content_hash = n.content_hash
 and other.namespace = {moved n.namespace}
 and coalesce(other.task_id, '') = coalesce(n.task_id, '') and coalesce(other.page_id, '') = coalesce(n.page_id, '')
 and coalesce(other.position, -1) = coalesce(n.position, -1) and coalesce(other.session, '') = coalesce(n.session, '')
 and (n.session is null or (coalesce(other.speaker, '') = coalesce(n.speaker, '') and other.observed_at = n.observed_at))
where n.owner_id = :owner and {inside n.namespace moved} and {visible other}
