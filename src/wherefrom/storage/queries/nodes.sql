-- Nodes: memos, claims, fragments, pages and entities.

-- name: node_get
select {node n}
from nodes n
where {visible_or_masked n} and n.id = :id

-- name: node_same_text
-- The node with this text that the access sees; if there is one in several boundary classes, that of :boundary_class.
select {node n}
from nodes n
where {visible n} and n.namespace = :namespace and n.kind = :kind and n.content_hash = :content_hash
  and (n.valid_to is null or n.valid_to > :at or n.kind not in ('memo', 'claim'))
  and (n.slot is null or cast(:slot as text) is null or n.slot = cast(:slot as text))
  and coalesce(n.task_id, '') = coalesce(cast(:task_id as text), '')
  and coalesce(n.page_id, '') = coalesce(cast(:page_id as text), '')
  and coalesce(n.position, -1) = coalesce(cast(:position as integer), -1)
  and coalesce(n.session, '') = coalesce(cast(:session as text), '')
  and (n.session is null or (coalesce(n.speaker, '') = coalesce(cast(:speaker as text), '') and n.observed_at = :observed_at))
order by case when n.boundary_class = cast(:boundary_class as text) then 0 else 1 end,
         case when n.valid_to is null then 0 else 1 end, case when n.slot is null then 1 else 0 end, n.seq
limit 1

-- name: turn_of_request
-- When the turn was observed that an earlier call with this request id saved: the same words in the same session.
select n.observed_at
from nodes n
join events e on e.owner_id = :owner and e.node_id = n.id and e.topic = 'ingest' and e.request_id = :request_id
where {visible n} and n.namespace = :namespace and n.kind = :kind and n.content_hash = :content_hash
  and n.session = :session and coalesce(n.speaker, '') = coalesce(cast(:speaker as text), '')
order by n.seq
limit 1

-- name: node_list
select n.seq, {node n}
from nodes n
where n.owner_id = :owner and n.kind = :kind and n.seq in (
    select n.seq
    from nodes n
    where {visible_or_masked n} and n.kind = :kind
      and n.seq < :before --if before
      and ({holds n} or n.kind not in ('memo', 'claim')) --unless replaced
      and (n.expires_at is null or n.expires_at > :now) --unless expired
      and (n.valid_from is null or n.valid_from <= :now) --unless replaced
      and (n.valid_from is not null or n.observed_at <= :as_of) --if as_of
      and n.observed_at >= :since --if since
      and n.observed_at <= :until --if until
      and n.created_at <= :known_at --if known_at
      and n.written_by = :written_by --if written_by
    order by n.seq desc
    limit :limit
)
order by n.seq desc

-- name: node_refs
select n.id, n.namespace, n.kind, n.title --unless beginnings
select n.id, n.namespace, n.kind, coalesce(n.title, substr(n.content, 1, 80)) --if beginnings
from nodes n
where {visible n} and n.id in {each ids}
order by n.seq

-- name: slot_covering
-- The other statements in a slot that a new one ends: they have not ended before it begins, and do not begin later.
select {node n}
from nodes n
where {visible n} and n.namespace = :namespace and n.slot = :slot and n.id <> :id
  and n.kind in ('memo', 'claim') and (n.valid_to is null or n.valid_to > :at) and not ({begins_later n})
order by n.seq

-- name: slot_following
-- The first statement in a slot that begins later than a new one, of those that did not end before they began.
select {node n}
from nodes n
where {visible n} and n.namespace = :namespace and n.slot = :slot and n.id <> :id and {begins_later n}
  and (n.valid_to is null or n.valid_to > coalesce(n.valid_from, n.observed_at))
order by coalesce(n.valid_from, n.observed_at), n.seq
limit 1

-- name: slots_held
-- The statements that hold in these slots.
select {node n}
from nodes n
where {visible n} and n.slot in {each slots} and n.valid_to is null
order by n.seq

-- name: nodes_insert
insert into nodes (owner_id, {node_columns}, seq)
select cast(:owner as text), {node r}, r.seq
from {rows {node_types}, seq bigint}

-- name: nodes_replace
update nodes
set {node_changes}
from {rows {node_types}}
where nodes.owner_id = :owner and nodes.id = r.id
returning nodes.id, nodes.seq

-- name: fragments_hidden
select count(*)
from nodes n
where n.owner_id = :owner and n.page_id = :id and not ({visible n})

-- name: fragments_of_pages
select {node n}
from nodes n
where n.owner_id = :owner and n.page_id in {each ids}
order by n.seq

-- name: claims_naming
-- The claims of the root whose source has one of these URLs, each with the pages of this URL whose fragments judge it.
select distinct p.id, {node n}
from nodes n
left join edges e on e.owner_id = :owner and e.target_id = n.id and e.page_id is not null
left join nodes p on p.owner_id = :owner and p.id = e.page_id and p.content = {text_in n.provenance url}
where n.owner_id = :owner and n.kind = 'claim' and {inside n.namespace root}
  and {text_in n.provenance url} in {each urls}
order by n.id, p.id

-- name: nodes_by_id
select {node n}
from nodes n
where n.owner_id = :owner and n.id in {each ids}

-- name: nodes_hidden
-- The ids among these of nodes that the access does not see.
select n.id
from nodes n
where n.owner_id = :owner and n.id in {each ids} and not ({visible n})

-- name: pages_here
-- The columns that fragments take over from their pages.
select n.id, n.namespace, {open_class n}, n.domain, n.year
from nodes n
where {visible n} and n.kind = 'page' and n.id in {each ids}

-- name: nodes_succeeded
update nodes
set superseded_by = r.heir
from {rows id text, heir text}
where nodes.owner_id = :owner and nodes.id = r.id

-- name: node_places
select n.id, n.namespace, n.boundary_class, n.kind, n.page_id, n.domain, n.year, n.task_id
from nodes n
where n.owner_id = :owner and n.id in {each ids}

-- name: nodes_with_texts
-- The nodes with these texts: at most one in each boundary class.
select n.id, n.boundary_class, n.namespace, n.kind, n.content_hash, n.task_id, n.page_id, n.position,
       coalesce(n.slot, ''), {ended n}, {turn n}
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
-- A row if there is a node that this access does not see.
select 1
from nodes n
where not ({visible n})
limit 1

-- name: text_sample
-- The newest texts that the access sees.
select n.title, n.content
from nodes n
where {visible n} and n.kind in {each kinds}
order by n.seq desc
limit :limit

-- name: text_beginnings
-- The first 4,000 characters of each text, enough to see how a word stands in it.
select n.id, n.title, n.aliases, n.metadata, n.speaker, substr(n.content, 1, 4000), n.shared_class
from nodes n
where n.owner_id = :owner and n.id in {each ids}

-- name: fragments_first
-- The first :each fragments of pages, without those that the access or the request leaves out.
select n.id, n.page_id
from {each pages} as p
join nodes n on n.owner_id = :owner and n.page_id = p.value
where n.position < :each + (
    select min(f.position) from nodes f where f.owner_id = :owner and f.page_id = p.value and f.valid_to is null
)
and {visible_or_masked n} and {recallable n}
and n.scope in {each scopes} --if scopes
and {visible n} and {matches n} --if metadata
order by n.page_id, n.position

-- name: node_batch
-- A batch of the nodes of the root, in order, to index them anew.
select n.seq, n.title, n.aliases, n.metadata, n.speaker, n.content, n.boundary_class, n.shared_class
from nodes n
where n.owner_id = :owner and {inside n.namespace root} and n.seq > :after
order by n.seq
limit :limit

-- name: nodes_after
-- A batch of the nodes that the access sees, in order.
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

-- name: more_nodes
-- A row if the access sees more nodes than a number.
select 1
from nodes n
where {visible n}
limit 1 offset :number
