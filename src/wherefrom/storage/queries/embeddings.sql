-- Embeddings: models, vectors, and the nodes that wait for one. `cross join` makes SQLite start with those that wait.

-- name: model_active
select m.number, m.model_id, m.dimension
from embedding_models m
where m.state = 'active'

-- name: model_named
select m.number, m.model_id, m.dimension
from embedding_models m
where m.model_id = :model_id

-- name: model_insert
insert into embedding_models (model_id, dimension, state, created_at)
values (:model_id, :dimension, :state, :now)

-- name: model_rest
update embedding_models
set state = 'filling'
where state = 'active'

-- name: model_activate
update embedding_models
set state = 'active'
where number = :model

-- name: model_delete
delete from embedding_models
where number = :model

-- name: embedding_save
insert into embeddings (owner_id, node_seq, model, content_hash, vector, created_at)
select cast(:owner as text), r.seq, cast(:model as integer), r.content_hash, r.vector, cast(:now as text)
from {rows seq bigint, content_hash text, vector vector}
where true
on conflict (owner_id, node_seq, model) do update
set content_hash = excluded.content_hash, vector = excluded.vector, created_at = excluded.created_at

-- name: embedding_forget
delete from embeddings
where owner_id = :owner and node_seq in {each_number seqs}

-- name: embedding_hashes
select e.node_seq, e.content_hash
from embeddings e
where e.owner_id = :owner and e.node_seq in {each_number seqs} and e.model = :model

-- name: embeddings_delete
-- Deletes some vectors of a model; repeated until none is left.
delete from embeddings
where model = :model and node_seq in (select e.node_seq from embeddings e where e.model = :model limit :limit)

-- name: embedding_vectors
select n.id, {vector e}
from nodes n
join embeddings e on e.owner_id = :owner and e.node_seq = n.seq and e.model = :model
where n.owner_id = :owner and n.id in {each ids}

-- name: pending_add
insert into pending_embeddings (owner_id, node_seq)
select cast(:owner as text), r.seq
from {rows seq bigint}
where true
on conflict (owner_id, node_seq) do update set leased_until = null, error = null

-- name: pending_remove
delete from pending_embeddings
where owner_id = :owner and node_seq in {each_number seqs}

-- name: pending_done
-- A node leaves the list when it has a vector of the active model; if its text changed meanwhile, it has none and stays.
delete from pending_embeddings
where (owner_id, node_seq) in (select r.owner, r.seq from {rows owner text, seq bigint}) and exists (
    select 1
    from embeddings e
    join embedding_models m on m.number = e.model and m.state = 'active'
    where e.owner_id = pending_embeddings.owner_id and e.node_seq = pending_embeddings.node_seq
)

-- name: pending_claim
select p.owner_id, n.seq, n.id, n.title, n.content, n.shared_class, n.version
from pending_embeddings p
cross join nodes n
where n.owner_id = p.owner_id and n.seq = p.node_seq and (p.leased_until is null or p.leased_until < :now) and {open_class n} in {each classes}
  and n.owner_id = :owner and {inside n.namespace root} --if owner
order by p.node_seq
limit :limit

-- name: pending_lease
update pending_embeddings
set leased_until = r.until, error = r.error
from {rows owner text, seq bigint, until text, error text}
where pending_embeddings.owner_id = r.owner and pending_embeddings.node_seq = r.seq

-- name: nodes_unchanged
-- The nodes among these that still have the version with which they were read.
select r.seq
from {rows owner text, seq bigint, version integer}
join nodes n on n.owner_id = r.owner and n.seq = r.seq and n.version = r.version

-- name: pending_missing
-- Every node that should have a vector of the active model and has none.
insert into pending_embeddings (owner_id, node_seq)
select n.owner_id, n.seq
from nodes n
where n.kind in {each kinds}
  and not exists (
    select 1
    from embeddings e
    join embedding_models m on m.number = e.model and m.state = 'active'
    where e.owner_id = n.owner_id and e.node_seq = n.seq
  )
  and not exists (select 1 from pending_embeddings p where p.owner_id = n.owner_id and p.node_seq = n.seq)

-- name: pending_clear
delete from pending_embeddings

-- name: pending_exists
select 1
from pending_embeddings p
where p.owner_id = :owner
  and exists (select 1 from nodes n where n.owner_id = :owner and n.seq = p.node_seq and {visible n})
limit 1

-- name: pending_visible
select count(*)
from pending_embeddings p
join nodes n on n.owner_id = :owner and n.seq = p.node_seq
where p.owner_id = :owner and {visible n}

-- name: pending_total
select count(*)
from pending_embeddings p
cross join nodes n
where n.owner_id = p.owner_id and n.seq = p.node_seq and {open_class n} in {each classes}
  and n.owner_id = :owner and {inside n.namespace root} --if owner

-- name: pending_health
-- The numbers of nodes of the root that wait and that may not be sent, and the last failure.
select count(*), coalesce(sum(case when {open_class n} in {each classes} then 0 else 1 end), 0), max(p.error)
from pending_embeddings p
cross join nodes n
where n.owner_id = :owner and p.owner_id = :owner and n.seq = p.node_seq and {inside n.namespace root}

-- name: embedding_stale
-- The number of nodes of the root with no vector of the active model that do not wait for one either.
select count(*)
from nodes n
where n.owner_id = :owner and {inside n.namespace root} and n.kind in {each kinds}
  and exists (select 1 from embedding_models m where m.state = 'active')
  and not exists (
    select 1
    from embeddings e
    join embedding_models m on m.number = e.model and m.state = 'active'
    where e.owner_id = :owner and e.node_seq = n.seq
  )
  and not exists (select 1 from pending_embeddings p where p.owner_id = :owner and p.node_seq = n.seq)

-- name: fill_batch
-- The next nodes without a vector of a model that is being filled.
select n.owner_id, n.seq, n.id, n.title, n.content, n.shared_class, n.version
from nodes n
where n.seq > :after and n.kind in {each kinds} and {open_class n} in {each classes}
  and not exists (
    select 1 from embeddings e where e.owner_id = n.owner_id and e.node_seq = n.seq and e.model = :model
  )
order by n.seq
limit :limit

-- name: fill_total
select count(*)
from nodes n
where n.kind in {each kinds} and {open_class n} in {each classes}
  and not exists (
    select 1 from embeddings e where e.owner_id = n.owner_id and e.node_seq = n.seq and e.model = :model
  )

-- name: nodes_matching
-- The nodes that a search is confined to by metadata, by task or by time.
select n.seq
from nodes n
where {visible n} and n.kind in {each kinds} and {recallable n}
  and n.scope in {each scopes} --if scopes
  and {matches n} --if metadata
  and (n.task_id = :task_id or n.id in ( --if task_id
    select e.source_id --if task_id
    from edges e --if task_id
    where {visible_edge e} and e.task_id = :task_id --if task_id
      and e.source_kind = 'fragment' and e.target_kind = 'claim' --if task_id
  )) --if task_id
