-- Edges: typed and weighted relations, with a reason.

-- name: edge_get
select {edge e}
from edges e
where {visible_edge e} and e.source_id = :source_id and e.target_id = :target_id and e.tag = :tag

-- name: edge_list
-- seq + 0: with a source or target, the planner sorts its few edges instead of reading all edges in order.
select e.seq, {edge e}
from edges e
where e.owner_id = :owner and e.seq in (
    select e.seq
    from edges e
    where {visible_edge e}
      and {inside e.source_namespace within} --if within
      and e.source_id = :source_id --if source_id
      and e.target_id = :target_id --if target_id
      and e.tag = :tag --if tag
      and e.seq < :before --if before
      and e.valid_to is null --unless as_of
      and coalesce(e.valid_from, e.created_at) <= :as_of and (e.valid_to is null or e.valid_to > :as_of) --if as_of
    order by e.seq desc --unless of_memo
    order by e.seq + 0 desc --if of_memo
    limit :limit
)
order by e.seq desc

-- name: edge_changes
-- In the order of change, so that a copy that follows never misses one.
select e.seq, {edge e}
from edges e
where {visible_edge e} and e.updated_at >= :since
  and (e.updated_at > :after_time or (e.updated_at = :after_time and e.seq > :after_seq)) --if after_time
  and {inside e.source_namespace within} --if within
  and e.source_id = :source_id --if source_id
  and e.target_id = :target_id --if target_id
  and e.tag = :tag --if tag
order by e.updated_at, e.seq
limit :limit

-- name: edges_superseding
-- The edges by which other nodes supersede one.
select {edge e}
from edges e
where {visible_edge e} and e.target_id = :id and e.tag = 'supersedes' and e.source_id <> e.target_id

-- name: edges_beside
-- The other edges of a source with the same tag that hold.
select {edge e}
from edges e
where {visible_edge e} and e.source_id = :source_id and e.tag = :tag and e.target_id <> :target_id and e.valid_to is null

-- name: edges_at
-- One step of a walk: the strongest edges first, so that a limit keeps what matters most.
select e.seq, {edge e}
from edges e
where {visible_edge e} and e.valid_to is null
  and e.source_id in {each frontier} --unless backward
  and e.target_id in {each frontier} --if backward
  and e.tag = :tag --if tag
order by e.weight desc, e.seq
limit :limit

-- name: edges_insert
-- Restored edges have their former seqs. With `skip_known`, an edge that exists stays as it is.
insert into edges (owner_id, {edge_columns}, seq)
select cast(:owner as text), {edge r}, {seq_or_next r.seq edges}
from {rows {edge_types}, seq bigint}
where true
on conflict do nothing --if skip_known
returning source_id, target_id, tag

-- name: edges_replace
update edges
set {edge_changes}
from {rows {edge_types}}
where edges.owner_id = :owner
  and edges.source_id = r.source_id and edges.target_id = r.target_id and edges.tag = r.tag

-- name: edges_remove
delete from edges
where owner_id = :owner and seq in (
    select e.seq
    from {rows source_id text, target_id text, tag text}
    join edges e on e.owner_id = :owner and e.source_id = r.source_id and e.target_id = r.target_id and e.tag = r.tag
)

-- name: edges_reinforced
-- The edges of a node (with :others only, if given) that can be strengthened or weakened.
select {edge e}
from edges e
where {visible_edge e} and not ({is_evidence e}) and coalesce(e.judge, '') <> 'human' and e.seq in (
    select o.seq from edges o where o.owner_id = :owner and o.source_id = :id
    union
    select i.seq from edges i where i.owner_id = :owner and i.target_id = :id
)
  and (e.source_id in {each others} or e.target_id in {each others}) --if others
  and e.tag = :tag and e.source_id = :id --if tag
order by e.weight desc, e.confidence desc, e.seq
limit :limit

-- name: edge_count_of
-- Of those that the access may see; an edge from a node to itself counts once.
select count(*)
from (
    select e.seq from edges e where e.owner_id = :owner and e.source_id = :id and {visible_edge e}
    union
    select e.seq from edges e where e.owner_id = :owner and e.target_id = :id and {visible_edge e}
    union
    select e.seq from edges e where e.owner_id = :owner and e.page_id = :id
) as touching

-- name: edges_from
-- The edges that start at these nodes, for an import to compare with.
select {edge e}
from edges e
where e.owner_id = :owner and e.source_id in {each ids}

-- name: edges_follow_nodes
-- Bring the copies that edges keep of their ends up to date after those ends changed.
update edges
set source_namespace = s.namespace,
    target_namespace = t.namespace,
    boundary_class = {strictest s t},
    source_kind = s.kind,
    target_kind = t.kind,
    page_id = s.page_id,
    domain = s.domain,
    year = s.year,
    task_id = t.task_id
from nodes s, nodes t
where edges.owner_id = :owner and edges.seq in (
    select o.seq from edges o where o.owner_id = :owner and o.source_id in {each ids}
    union
    select i.seq from edges i where i.owner_id = :owner and i.target_id in {each ids}
)
  and s.owner_id = :owner and s.id = edges.source_id
  and t.owner_id = :owner and t.id = edges.target_id

-- name: edges_after
-- A batch of the edges that have a reason, in order.
select e.seq, {edge e}
from edges e
where {visible_edge e} and e.seq > :after and e.reason is not null
order by e.seq
limit :limit

-- name: edge_export
select {edge e}
from edges e
where {visible_edge e}
order by e.seq

-- name: edge_total
select count(*)
from edges e
where e.owner_id = :owner and {inside e.source_namespace root}

-- name: edge_faults
-- Edges whose ends are missing, or whose copies of their ends' columns are stale.
select
    coalesce(sum(case when s.id is null or t.id is null then 1 else 0 end), 0),
    coalesce(sum(case
        when s.namespace <> e.source_namespace or t.namespace <> e.target_namespace
          or e.boundary_class not in (s.boundary_class, t.boundary_class)
          or e.source_kind <> s.kind or e.target_kind <> t.kind
          or coalesce(e.page_id, '') <> coalesce(s.page_id, '') or coalesce(e.domain, '') <> coalesce(s.domain, '')
          or coalesce(e.year, -10000) <> coalesce(s.year, -10000)
          or coalesce(e.task_id, '') <> coalesce(t.task_id, '') then 1 else 0 end), 0)
from edges e
left join nodes s on s.owner_id = :owner and s.id = e.source_id
left join nodes t on t.owner_id = :owner and t.id = e.target_id
where e.owner_id = :owner
