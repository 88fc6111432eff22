-- Nodes: memos, claims, fragments, pages and entities.

-- name: node_get
select {node n}
from nodes n
where {visible_or_masked n} and n.id = :id

-- name: node_same_text
-- The node with this text among those that the access sees; if several boundary classes have it, that of :boundary_class.
select {node n}
from nodes n
where {visible n} and n.namespace = :namespace and n.kind = :kind and n.content_hash = :content_hash
  and coalesce(n.task_id, '') = coalesce(cast(:task_id as text), '')
  and coalesce(n.page_id, '') = coalesce(cast(:page_id as text), '')
  and coalesce(n.position, -1) = coalesce(cast(:position as integer), -1)
order by case when n.boundary_class = cast(:boundary_class as text) then 0 else 1 end, n.seq
limit 1

-- name: node_list
select n.seq, {node n}
from nodes n
where n.owner_id = :owner and n.kind = :kind and n.seq in (
    select n.seq
    from nodes n
    where {visible_or_masked n} and n.kind = :kind
      and n.seq < :before --if before
    order by n.seq desc
    limit :limit
)
order by n.seq desc

-- name: node_refs
select n.id, n.namespace, n.kind, n.title
from nodes n
where {visible n} and n.id in {each ids}
order by n.seq

-- name: node_beginnings
select n.id, n.namespace, n.kind, coalesce(n.title, substr(n.content, 1, 80))
from nodes n
where {visible n} and n.id in {each ids}
order by n.seq

-- name: node_insert
insert into nodes (owner_id, {node_columns})
values (:owner, {node_values})

-- name: node_replace
update nodes
set {node_changes}
where owner_id = :owner and id = :id

-- name: fragments_dated
-- Fragments have the year of their page, and edges that of their source.
update nodes
set year = :year, updated_at = :now, version = version + 1
where owner_id = :owner and page_id = :id

-- name: fragments_hidden
select count(*)
from nodes n
where n.owner_id = :owner and n.page_id = :id and not ({visible n})

-- name: fragments_open
-- Fragments of a page that are less restricted than it is.
select n.id
from nodes n
where n.owner_id = :owner and n.page_id = :id and n.boundary_class not in {each stricter}

-- name: fragments_restrict
update nodes
set boundary_class = :boundary_class, shared_class = null, updated_at = :now, version = version + 1
where owner_id = :owner and page_id = :id and boundary_class not in {each stricter}

-- name: fragments_close
-- Others see no more of a fragment than of its page.
update nodes
set shared_class = nullif(:boundary_class, boundary_class), updated_at = :now, version = version + 1
where owner_id = :owner and page_id = :id and shared_class not in {each stricter}

-- name: fragments_meeting
-- Fragments that would meet the same text at the same place of their page if they became as restricted as it is.
select n.id
from nodes n
where n.owner_id = :owner and n.page_id = :id and n.boundary_class not in {each stricter} and exists (
    select 1 from nodes o
    where o.owner_id = n.owner_id and o.page_id = n.page_id and o.id <> n.id and o.namespace = n.namespace
      and o.content_hash = n.content_hash and coalesce(o.position, -1) = coalesce(n.position, -1)
      and (o.boundary_class = :boundary_class or (o.boundary_class not in {each stricter} and o.seq < n.seq))
)
order by n.seq

-- name: fragments_end
select coalesce(max(n.position), -1)
from nodes n
where n.owner_id = :owner and n.page_id = :id

-- name: edges_dated
update edges
set year = :year
where owner_id = :owner and (page_id = :id or source_id = :id)

-- name: node_delete
delete from nodes
where owner_id = :owner and id = :id

-- name: nodes_by_id
select {node n}
from nodes n
where n.owner_id = :owner and n.id in {each ids}

-- name: nodes_hidden
-- Which of these ids belong to nodes that the access does not see.
select n.id
from nodes n
where n.owner_id = :owner and n.id in {each ids} and not ({visible n})

-- name: pages_here
-- What fragments take over from their pages.
select n.id, n.namespace, {open_class n}, n.domain, n.year
from nodes n
where {visible n} and n.kind = 'page' and n.id in {each ids}

-- name: node_succeeded
update nodes
set superseded_by = :heir
where owner_id = :owner and id = :id

-- name: node_places
select n.id, n.namespace, n.boundary_class, n.kind, n.page_id, n.domain, n.year, n.task_id
from nodes n
where n.owner_id = :owner and n.id in {each ids}

-- name: nodes_with_texts
-- The nodes that have these texts: one in each boundary class at most.
select n.id, n.boundary_class, n.namespace, n.kind, n.content_hash, n.task_id, n.page_id, n.position
from nodes n
where {visible n} and n.content_hash in {each hashes}
order by n.seq

-- name: node_export
select {node n}
from nodes n
where {visible_or_masked n}
order by n.seq

-- name: node_counts
select n.kind, count(*)
from nodes n
where n.owner_id = :owner and {inside n.namespace root}
group by n.kind
order by n.kind

-- name: node_hashes
select n.id, n.content, n.content_hash
from nodes n
where n.owner_id = :owner and {inside n.namespace root}

-- name: text_outside
-- Whether there is a node that this access does not see.
select 1
from nodes n
where not ({visible n})
limit 1

-- name: text_sample
-- The newest texts that it does see.
select n.title, n.content
from nodes n
where {visible n} and n.kind in {each kinds}
order by n.seq desc
limit :limit

-- name: text_beginnings
-- Enough of each text to see how a word stands in it.
select n.id, n.title, n.aliases, substr(n.content, 1, 4000), n.shared_class
from nodes n
where n.owner_id = :owner and n.id in {each ids}

-- name: node_batch
-- For work over all nodes in batches, in order.
select n.seq, n.id, n.title, n.aliases, n.content, n.boundary_class, n.shared_class
from nodes n
where n.owner_id = :owner and {inside n.namespace root} and n.seq > :after
order by n.seq
limit :limit

-- name: nodes_after
-- All of them in order, a batch at a time.
select n.seq, {node n}
from nodes n
where {visible n} and n.seq > :after
order by n.seq
limit :limit

-- name: node_last
select coalesce(max(n.seq), 0)
from nodes n
where n.owner_id = :owner

-- name: node_total
select count(*)
from nodes n
where {visible n}
