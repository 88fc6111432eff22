-- Evidence: tasks, queries, pages, fragments, claims, and what people corrected.

-- name: kinds_visible
select n.kind, count(*)
from nodes n
where {visible n}
group by n.kind
order by n.kind

-- name: edges_visible
select count(*)
from edges e
where {visible_edge e}

-- name: task_get
select {task t}
from tasks t
where {visible t} and t.id = :id

-- name: task_save
-- An imported task replaces one that is here only if it was changed later.
insert into tasks (owner_id, {task_columns})
values (:owner, {task_values})
on conflict (owner_id, id) do update
set query = excluded.query, status = excluded.status, result_summary = excluded.result_summary,
    error_message = excluded.error_message, started_at = excluded.started_at, completed_at = excluded.completed_at,
    updated_at = excluded.updated_at
where excluded.updated_at > tasks.updated_at --if imported

-- name: tasks_newest
select {task t}
from tasks t
where {visible t}
order by t.created_at desc, t.id desc
limit :limit

-- name: tasks_by_status
select t.status, count(*)
from tasks t
where {visible t}
group by t.status
order by t.status

-- name: task_export
select {task t}
from tasks t
where {visible t}
order by t.created_at, t.id

-- name: tasks_here
select t.id, t.boundary_class
from tasks t
where {visible t} and t.id in {each ids}

-- name: tasks_hidden
-- The ids among these of tasks that the access does not see.
select t.id
from tasks t
where t.owner_id = :owner and t.id in {each ids} and not ({visible t})

-- name: queries_hidden
-- The ids among these of queries of tasks that the access does not see.
select q.id
from queries q
join tasks t on t.owner_id = :owner and t.id = q.task_id
where q.owner_id = :owner and q.id in {each ids} and not ({visible t})

-- name: query_export
select {query q}
from queries q
join tasks t on t.owner_id = :owner and t.id = q.task_id
where q.owner_id = :owner and {visible t}
order by q.executed_at, q.id

-- name: query_get
select {query q}
from queries q
where q.owner_id = :owner and q.task_id = :task_id
  and q.id = :id --if id
  and q.query_text = :query_text --if query_text
order by q.executed_at, q.id
limit 1

-- name: query_save
insert into queries (owner_id, {query_columns})
values (:owner, {query_values})
on conflict (owner_id, id) do update
set query_text = excluded.query_text, result_count = excluded.result_count,
    useful_fragments = excluded.useful_fragments
where queries.task_id = excluded.task_id
  and 1 = 0 --if imported

-- name: task_totals
-- The numbers of queries and of adopted claims of these tasks.
select t.id,
       (select count(*) from queries q where q.owner_id = :owner and q.task_id = t.id),
       (select count(*) from nodes n
        where {visible n} and n.task_id = t.id and n.kind = 'claim' and n.rejected_at is null)
from tasks t
where {visible t} and t.id in {each ids}

-- name: task_summary
-- Counts of what a task has gathered: its fragments and pages are those that judge its claims.
select count(distinct e.source_id), count(distinct e.page_id),
       coalesce(sum(case when e.tag = 'supports' then 1 else 0 end), 0),
       coalesce(sum(case when e.tag = 'refutes' then 1 else 0 end), 0),
       coalesce(sum(case when e.tag = 'neutral' then 1 else 0 end), 0)
from edges e
join nodes c on c.owner_id = :owner and c.id = e.target_id
where {visible_edge e} and e.task_id = :task_id and e.source_kind = 'fragment' and e.target_kind = 'claim'
  and e.tag in ('supports', 'refutes', 'neutral') and c.rejected_at is null

-- name: task_domains
select e.domain
from edges e
join nodes c on c.owner_id = :owner and c.id = e.target_id
where {visible_edge e} and e.task_id = :task_id and e.source_kind = 'fragment' and e.target_kind = 'claim'
  and e.tag in ('supports', 'refutes', 'neutral') and c.rejected_at is null and e.domain is not null
group by e.domain
order by count(distinct e.page_id) desc, e.domain
limit :limit

-- name: fragments_of_page
-- The positions and texts of the fragments of a page.
select n.content_hash, n.position, n.id
from nodes n
where {visible n} and n.page_id = :page_id
order by n.position

-- name: fragments_move
update nodes
set position = r.position, updated_at = :now, version = version + 1
from {rows id text, position integer}
where owner_id = :owner and nodes.id = r.id

-- name: fragments_unused
-- Fragments of a document, other than these, that nobody uses. Fragments of a document have offsets.
select n.id
from nodes n
where {visible n} and n.page_id = :page_id and n.id not in {each kept} and n.metadata like '%"start":%'
  and not exists (
    select 1 from edges e
    where e.owner_id = :owner and e.source_id = n.id and (e.judge is null or e.judge <> 'names')
  )
  and not exists (
    select 1 from edges e
    where e.owner_id = :owner and e.target_id = n.id and (e.judge is null or e.judge <> 'names')
  )
  and not exists (select 1 from feedback f where f.owner_id = :owner and f.node_id = n.id)

-- name: fragments_outdated
-- Fragments that are used stay, and are marked as no longer on the page.
update nodes
set valid_to = :now, updated_at = :now, version = version + 1
where {visible nodes} and page_id = :page_id and id not in {each kept} and valid_to is null
  and metadata like '%"start":%'

-- name: fragments_back
-- A text that was no longer on its page and is there again.
update nodes
set valid_to = null, updated_at = :now, version = version + 1
where owner_id = :owner and page_id = :page_id and id in {each kept} and valid_to is not null

-- name: judgements_between
-- The judgements of these claims by these fragments or claims.
select {edge e}
from edges e
where e.owner_id = :owner and e.target_id in {each claims} and e.source_id in {each sources}
  and e.tag in ('supports', 'refutes', 'neutral', 'origin')

-- name: evidence_of_claim
select {edge e}
from edges e
where {visible_edge e} and e.target_id = :claim and e.tag in ('supports', 'refutes', 'neutral', 'origin')
order by e.seq + 0 desc
limit :limit

-- name: posteriors
-- For each claim the weight of evidence for and against it, and its sources.
select e.target_id,
       coalesce(sum(case when e.tag = 'supports' then e.confidence end), 0),
       coalesce(sum(case when e.tag = 'refutes' then e.confidence end), 0),
       coalesce(sum(case when e.tag = 'supports' then 1 else 0 end), 0),
       coalesce(sum(case when e.tag = 'refutes' then 1 else 0 end), 0),
       coalesce(sum(case when e.tag = 'neutral' then 1 else 0 end), 0),
       count(distinct case when e.tag <> 'neutral' then coalesce(e.page_id, e.source_id) end),
       count(distinct case when e.tag <> 'neutral' then e.domain end), min(e.year), max(e.year)
from edges e
where {visible_edge e} and e.target_id in {each claims} and e.source_kind = 'fragment' and e.target_kind = 'claim'
  and e.tag in ('supports', 'refutes', 'neutral')
group by e.target_id

-- name: claim_reject
update nodes
set rejected_at = :rejected_at, updated_at = :now, version = version + 1
where owner_id = :owner and id = :id

-- name: correction_add
insert into corrections
    (owner_id, action, claim_id, reason, at, source_id, relation_before, relation_after, confidence_before)
values
    (:owner, :action, :claim_id, :reason, :at, :source_id, :relation_before, :relation_after, :confidence_before)

-- name: correction_export
select c.action, c.claim_id, c.reason, c.at, c.source_id, c.relation_before, c.relation_after, c.confidence_before
from corrections c
join nodes n on n.owner_id = :owner and n.id = c.claim_id
where c.owner_id = :owner and {visible n}
  and (c.source_id is null or c.source_id in (select s.id from nodes s where {visible s}))
order by c.seq

-- name: correction_load
-- Add a correction of a claim of this store, unless it is known.
insert into corrections
    (owner_id, action, claim_id, reason, at, source_id, relation_before, relation_after, confidence_before)
select n.owner_id, cast(:action as text), n.id, cast(:reason as text), cast(:at as text), cast(:source_id as text),
       cast(:relation_before as text), cast(:relation_after as text), cast(:confidence_before as double precision)
from nodes n
where {visible n} and n.id = :claim_id and n.kind = 'claim' and not exists (
    select 1 from corrections c
    where c.owner_id = :owner and c.claim_id = n.id and c.at = :at and c.action = :action
      and coalesce(c.source_id, '') = coalesce(cast(:source_id as text), '')
)

-- name: correction_clean
update corrections
set reason = :reason
where owner_id = :owner and claim_id = :claim_id and at = :at and action = :action

-- name: corrections_of
select c.action, c.claim_id, c.reason, c.at, c.source_id, c.relation_before, c.relation_after, c.confidence_before
from corrections c
where c.owner_id = :owner and c.claim_id = :id
  and (c.source_id is null or exists (select 1 from nodes s where {visible s} and s.id = c.source_id))
order by c.seq desc
limit :limit
