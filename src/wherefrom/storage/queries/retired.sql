-- Receipts: rows that were let go, in full, until they are brought back or purged.

-- name: nodes_going
-- A page takes its fragments along. Pages first, so that they come back first.
select n.seq, {node n}
from nodes n
where n.owner_id = :owner and n.seq in (
    select m.seq from nodes m where m.owner_id = :owner and m.id in {each ids}
    union
    select f.seq from nodes f where f.owner_id = :owner and f.page_id in {each ids}
)
order by case when n.kind = 'page' then 0 else 1 end, n.seq

-- name: edges_going
-- Edges of these nodes; both databases find the seqs by their indexes.
select e.seq, {edge e}
from edges e
where e.owner_id = :owner and e.seq in (
    select o.seq from edges o where o.owner_id = :owner and o.source_id in {each ids}
    union
    select i.seq from edges i where i.owner_id = :owner and i.target_id in {each ids}
)
order by e.seq

-- name: edges_numbered
select e.seq, {edge e}
from edges e
where e.owner_id = :owner and e.seq in {each_number seqs}
order by e.seq

-- name: edges_of_heirs
-- The edges from some nodes to others or with these tags, and so those that an heir may have already.
select {edge e}
from edges e
where e.owner_id = :owner and e.source_id in {each sources} and (e.target_id in {each targets} or e.tag in {each tags})

-- name: edges_of_keys
select {edge e}
from {rows source_id text, target_id text, tag text}
join edges e on e.owner_id = :owner and e.source_id = r.source_id and e.target_id = r.target_id and e.tag = r.tag

-- name: receipts_of_heirs
-- The receipts of the nodes for which these stand, in order.
select r.seq, r.node_id, r.content, r.reason, r.stand_in
from retired r
where r.owner_id = :owner and r.stand_in in {each ids} and r.kind = 'node'
order by r.seq

-- name: retired_edges_between
select t.seq, t.content
from {rows source_id text, target_id text}
join retired t on t.owner_id = :owner and t.kind = 'edge' and t.node_id = r.source_id and t.target_id = r.target_id

-- name: retired_reasons
update retired
set reason = r.reason
from {rows seq bigint, reason text}
where retired.owner_id = :owner and retired.seq = r.seq

-- name: vectors_going
select n.id, m.model_id, v.content_hash, {vector v}, v.created_at
from nodes n
join embeddings v on v.owner_id = :owner and v.node_seq = n.seq
join embedding_models m on m.number = v.model
where n.owner_id = :owner and n.id in {each ids}

-- name: feedback_going
select f.node_id, f.id, f.context_id, f.signal, f.root, f.request_id, f.at
from feedback f
where f.owner_id = :owner and f.node_id in {each ids}

-- name: corrections_going
select c.claim_id, c.seq, c.action, c.source_id, c.relation_before, c.relation_after, c.confidence_before, c.reason, c.at
from corrections c
where c.owner_id = :owner and c.claim_id in {each ids}

-- name: retire
insert into retired (owner_id, run_id, kind, node_id, target_id, stand_in, namespace, row_seq, content, reason, retired_at)
select cast(:owner as text), cast(:run_id as text), r.kind, r.node_id, r.target_id, r.stand_in, r.namespace, r.row_seq,
       r.content, r.reason, cast(:now as text)
from {rows kind text, node_id text, target_id text, stand_in text, namespace text, row_seq bigint, content text, reason text}

-- name: edges_delete
delete from edges
where owner_id = :owner and seq in {each_number seqs}

-- name: retired_after
-- A batch of the receipts that hold texts, in order.
select r.seq, r.namespace, r.content, r.node_id
from retired r
where r.owner_id = :owner and {within r.namespace root} and r.kind in ('node', 'edge', 'correction') and r.seq > :after
order by r.seq
limit :limit

-- name: retired_replace
update retired
set content = r.content
from {rows seq bigint, content text}
where retired.owner_id = :owner and retired.seq = r.seq

-- name: retired_vectors_forget
-- The vector of a text that may not be kept would reveal it.
delete from retired
where owner_id = :owner and node_id in {each ids} and kind = 'embedding'

-- name: retired_nodes
-- The nodes that can be brought back, oldest first; for a single node its last receipt.
select r.seq, r.run_id, r.node_id, r.namespace, r.row_seq, r.content, r.stand_in
from retired r
where r.owner_id = :owner and {within r.namespace root} and r.kind = 'node' and r.seq > :after
  and r.node_id = :node_id --if node_id
  and r.run_id = :run_id --if run_id
  and r.retired_at >= :since --if since
order by r.seq desc --if node_id
order by r.seq --unless node_id
limit :limit

-- name: fragments_let_go
select r.seq, r.run_id, r.node_id, r.namespace, r.row_seq, r.content
from retired r
where r.owner_id = :owner and r.kind = 'node' and {text_in r.content page_id} = :id
  and not exists (select 1 from nodes n where n.owner_id = :owner and n.id = r.node_id)
order by r.seq

-- name: retired_with
-- The rows other than edges that were let go with these nodes.
select r.seq, r.kind, r.node_id, r.row_seq, r.content
from retired r
where r.owner_id = :owner and r.node_id in {each ids} and r.run_id in {each runs} and r.kind not in ('node', 'edge')
order by r.seq

-- name: retired_edges
-- One page of the edges that went, in order. Whether their ends are here is looked up for the page alone: in a join the
-- planner looks up those of all receipts before it cuts the page.
select r.seq, r.row_seq, r.content, r.reason
from retired r
where r.owner_id = :owner and {within r.namespace root} and r.kind = 'edge' and r.seq > :after
  and r.node_id in {each sources} --if sources
  and r.target_id in {each targets} --if targets
  and r.run_id = :run_id --if run_id
  and r.retired_at >= :since --if since
order by r.seq
limit :limit

-- name: retired_delete
delete from retired
where owner_id = :owner and seq in {each_number seqs}

-- name: retired_purge
delete from retired
where owner_id = :owner and seq in (
    select r.seq
    from retired r
    where r.owner_id = :owner and {within r.namespace root} and r.retired_at < :before
    order by r.retired_at
    limit :limit
)

-- name: retired_move
{move retired}

-- name: vector_restore
-- Restores nothing if the model is no longer known.
insert into embeddings (owner_id, node_seq, model, content_hash, vector, created_at)
select n.owner_id, n.seq, m.number, :content_hash, :vector, :created_at
from nodes n
join embedding_models m on m.model_id = :model_id
where n.owner_id = :owner and n.id = :id
on conflict (owner_id, node_seq, model) do nothing

-- name: feedback_restore
insert into feedback (owner_id, id, node_id, context_id, signal, root, request_id, at)
values (:owner, :id, :node_id, :context_id, :signal, :root, :request_id, :at)
on conflict do nothing

-- name: correction_restore
insert into corrections
    (seq, owner_id, action, claim_id, source_id, relation_before, relation_after, confidence_before, reason, at)
values (:seq, :owner, :action, :claim_id, :source_id, :relation_before, :relation_after, :confidence_before, :reason, :at)
on conflict do nothing
