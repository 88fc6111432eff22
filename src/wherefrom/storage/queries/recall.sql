-- Recall: the facts that rank a node beside its text, contexts, feedback, policies, and expired nodes.

-- name: ranking_facts
select {facts n}
from nodes n
where {visible_or_masked n} and {recallable n} and n.id in {each ids} and {among n.kind kinds}
  and n.scope in {each scopes} --if scopes
  and {visible n} and {matches n} --if metadata

-- name: nodes_heirs
-- These nodes, and those that took the place of one another after them.
with recursive heirs(id) as (
    select n.id
    from nodes n
    where n.owner_id = :owner and n.id in {each ids}
    union
    select n.superseded_by
    from heirs h
    join nodes n on n.owner_id = :owner and n.id = h.id
    where n.superseded_by is not null and (n.valid_to is null or n.valid_to <= cast(:now as text))
)
select h.id
from heirs h
limit :limit

-- name: nodes_replaced_by
-- The statements whose place these nodes took, each with its heir; those that ended last first.
select n.superseded_by, n.id, n.valid_to
from nodes n
where {visible_or_masked n} and n.superseded_by in {each ids} and n.valid_to is not null
order by n.valid_to desc, n.seq desc
limit :limit

-- name: nodes_replaced
select n.id
from nodes n
where n.owner_id = :owner and n.id in {each ids} and (n.valid_to is not null or n.superseded_by is not null)

-- name: nodes_said
select n.id, {said n}
from nodes n
where n.owner_id = :owner and n.id in {each ids}

-- name: candidates_of
-- These nodes as a search knows those that it finds.
select n.id, {candidate n}
from nodes n
{with_vector n}
where n.owner_id = :owner and n.id in {each ids}

-- name: sessions_known
-- A row if any text is a turn of a session.
select 1
from nodes n
where n.owner_id = :owner and n.session is not null
limit 1

-- name: turns_around
-- Turns of sessions, each with the one before it and the one after it.
select n.id,
    (select p.id from nodes p
     where {visible_or_masked p} and p.namespace = n.namespace and p.session = n.session
       and (p.observed_at, p.seq) < (n.observed_at, n.seq)
     order by p.observed_at desc, p.seq desc
     limit 1),
    (select f.id from nodes f
     where {visible_or_masked f} and f.namespace = n.namespace and f.session = n.session
       and (f.observed_at, f.seq) > (n.observed_at, n.seq)
     order by f.observed_at, f.seq
     limit 1)
from nodes n
where {visible_or_masked n} and n.id in {each ids} and n.session is not null
order by n.seq

-- name: utility_sums
-- Sum and sum of squares of the utilities at :now; most nodes have a utility of 0.
select coalesce(sum(u.now), 0), coalesce(sum(u.now * u.now), 0)
from (
    select n.utility * power(0.5, {judged_days_ago n} / :half_life) as now
    from nodes n
    where n.utility <> 0 and {visible n} and n.kind || '' in {each kinds} and {live n}
      and n.scope in {each scopes} --if scopes
      and {matches n} --if metadata
      and n.written_by = :written_by --if written_by
) as u

-- name: recallable_total
select count(*)
from nodes n
where {visible n} and n.kind in {each kinds}
  and {live n} --if exact
  and n.scope in {each scopes} --if scopes
  and {matches n} --if metadata
  and n.written_by = :written_by --if written_by

-- name: archived_total
-- How many of them have expired, found by the index of these.
select count(*)
from nodes n
where {visible n} and n.expires_at <= cast(:now as text) and n.kind || '' in {each kinds}
  and n.scope in {each scopes} --if scopes
  and {matches n} --if metadata
  and n.written_by = :written_by --if written_by

-- name: disputes
-- Edges by which one of these nodes contradicts another.
select {edge e}
from edges e
where {visible_edge e} and e.source_id in {each ids} and e.target_id in {each ids}
  and e.tag in ('contradicts', 'conflicts', 'refutes') and e.valid_to is null

-- name: helpful_counts
select f.node_id, count(*)
from feedback f
where f.owner_id = :owner and f.node_id in {each ids} and f.signal = 'helpful'
group by f.node_id

-- name: entities_of
-- The entities that these nodes mention.
select e.source_id, e.target_id
from edges e
join nodes n on n.owner_id = :owner and n.id = e.target_id and n.kind = 'entity'
where {visible_edge e} and e.source_id in {each ids} and e.tag = 'mentions'

-- name: context_insert
insert into active_contexts
    (owner_id, id, namespace, made_by, question, scopes, policy_version, provenance, created_at, expires_at)
values
    (:owner, :id, :namespace, :made_by, :question, :scopes, :policy_version, :provenance, :created_at, :expires_at)

-- name: context_items_insert
-- A node that was deleted since it was found is left out.
insert into active_context_items (owner_id, context_id, rank, node_id, score, reason, relevance)
select n.owner_id, cast(:id as text), r.rank, n.id, r.score, r.reason, r.relevance
from {rows node_id text, rank integer, score double precision, reason text, relevance double precision}
join nodes n on n.owner_id = :owner and n.id = r.node_id

-- name: context_get
select c.namespace, c.made_by, c.question, c.scopes, c.policy_version, c.provenance, c.created_at, c.expires_at
from active_contexts c
where c.owner_id = :owner and {inside c.namespace root} and c.id = :id

-- name: context_items
select i.rank, i.node_id, i.score, i.reason, i.relevance
from active_context_items i
where i.owner_id = :owner and i.context_id = :id
order by i.rank

-- name: contexts_purge
delete from active_contexts
where owner_id = :owner and expires_at < :before

-- name: feedback_insert
insert into feedback (owner_id, id, node_id, context_id, signal, root, request_id, at)
values (:owner, :id, :node_id, :context_id, :signal, :root, :request_id, :at)

-- name: feedback_of_request
-- A judgement that was stored before there was a root counts only if node and signal are the same.
select f.id, f.node_id, f.signal
from feedback f
where f.owner_id = :owner and f.request_id = :request_id
  and (f.root = :root or (f.root = '' and f.node_id = :node_id and f.signal = :signal))

-- name: expired_places
select distinct n.namespace
from nodes n
where n.owner_id = :owner and {inside n.namespace root} and n.expires_at <= :now
order by n.namespace

-- name: expired
select n.id
from nodes n
where n.owner_id = :owner and n.namespace || '' = :namespace and n.expires_at <= :before
order by n.expires_at
limit :limit

-- name: contexts_forget
delete from active_contexts
where owner_id = :owner and {inside namespace root}

-- name: nodes_delete
delete from nodes
where owner_id = :owner and id in {each ids}

-- name: events_purge
delete from events
where owner_id = :owner and at < :before

-- name: policies_current
select p.namespace, p.version, p.yaml
from policies p
where p.owner_id = :owner
  and p.seq = (select max(o.seq) from policies o where o.owner_id = :owner and o.namespace = p.namespace)

-- name: privacy_current
select p.mode, p.chosen_at
from privacy p
where p.owner_id in (:owner, '')
order by p.owner_id desc
limit 1

-- name: privacy_choose
insert into privacy (owner_id, mode, chosen_at)
values (:owner, :mode, :now)
on conflict (owner_id) do update set mode = excluded.mode, chosen_at = excluded.chosen_at

-- name: policy_history
select p.version, p.yaml, p.approver, p.applied_at
from policies p
where p.owner_id = :owner and p.namespace = :namespace
order by p.seq desc

-- name: policy_insert
insert into policies (owner_id, namespace, version, yaml, approver, applied_at)
values (:owner, :namespace, :version, :yaml, :approver, :now)

-- name: policies_inside
select count(*)
from policies p
where p.owner_id = :owner and {inside p.namespace target}

-- name: policies_move
{move policies}
