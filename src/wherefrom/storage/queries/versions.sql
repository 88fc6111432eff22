-- Former versions of nodes.

-- name: versions_insert
insert into node_versions (owner_id, node_id, version, known_from, known_to, content)
select cast(:owner as text), r.node_id, r.version, r.known_from, r.known_to, r.content
from {rows node_id text, version integer, known_from text, known_to text, content text}
where true
on conflict do nothing

-- name: versions_cut
delete from node_versions
where owner_id = :owner and node_id = :node_id and version <= :version

-- name: versions_of
select v.node_id, v.version, v.known_from, v.known_to, v.content, n.namespace
from node_versions v
join nodes n on n.owner_id = :owner and n.id = v.node_id
where v.owner_id = :owner and v.node_id in {each ids}
order by v.node_id, v.version

-- name: versions_at
-- Of each node, the version that was known at a moment.
select v.node_id, v.version, v.known_from, v.known_to, v.content, n.namespace
from node_versions v
join nodes n on n.owner_id = :owner and n.id = v.node_id
where v.owner_id = :owner and v.node_id in {each ids} and v.known_from <= :moment and v.known_to > :moment
order by v.version

-- name: versions_in_force
-- The versions of all nodes of the root that were known at a moment, those that changed last first.
select v.node_id, v.version, v.known_from, v.known_to, v.content, n.namespace
from node_versions v
join nodes n on n.owner_id = :owner and n.id = v.node_id
where v.owner_id = :owner and v.known_to > :moment and v.known_from <= :moment and {visible_or_masked n}
order by v.known_to desc
limit :limit

-- name: versions_forget
delete from node_versions
where owner_id = :owner and node_id in {each ids}

-- name: versions_missing
-- The number of memos and claims that have changed since a moment and are not known as they were then.
select count(*)
from nodes n
where {visible n} and n.kind in ('memo', 'claim') and n.created_at <= :moment and n.updated_at > :moment and not exists (
    select 1 from node_versions v
    where v.owner_id = :owner and v.node_id = n.id and v.known_from <= :moment and v.known_to > :moment
)

-- name: nodes_gone_since
-- How many nodes were deleted or let go since a moment, and when the first of them.
select count(*), min(e.at)
from events e
where {visible_event e} and e.at > :moment and e.topic in ('delete', 'retire') and e.other_id is null
