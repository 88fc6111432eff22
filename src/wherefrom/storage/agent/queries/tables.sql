-- The tables that an agent's SQL sees: the same on both databases, limited to the rows that the access may see.
--
-- {visible n}, {visible_edge e} and {visible_event e} are the rules of queries/fragments.sql with the access written in; on PostgreSQL, where
-- row-level security applies them, they are true. {table t} is a table of the store, {field n name} a text in the
-- metadata, {number n name} a whole number in it, {json n name} a JSON value, {now} the time of the question. {owner n} is
-- one more column where each statement says whose rows it reads.

-- fragment: holds_now
-- True if a statement or a relation holds at the time of the question.
(({0}.valid_from is null or {0}.valid_from <= {now}) and ({0}.valid_to is null or {0}.valid_to > {now}))

-- name: tasks
select t.id, t.query, t.status, t.result_summary, t.error_message, t.namespace, t.created_at, t.started_at,
       t.completed_at {owner t}
from {table tasks} t
where {visible t}

-- name: queries
select q.id, q.task_id, q.query_text, q.query_type, q.language, q.parent_query_id, q.depth, q.executed_at,
       q.result_count, cast(q.useful_fragments as double precision) / nullif(q.result_count, 0) as harvest_rate {owner q}
from {table queries} q
join {table tasks} t on t.owner_id = q.owner_id and t.id = q.task_id
where {visible t}

-- name: pages
select n.id, n.content as url, n.domain, n.title, n.year, {json n paper} as paper_metadata,
       {field n content_type} as content_type, {field n fetched_at} as fetched_at, n.namespace, n.boundary_class,
       n.created_at, n.updated_at {owner n}
from {table nodes} n
where {visible n} and n.kind = 'page'

-- name: fragments
select n.id, n.page_id, {field n type} as fragment_type, n.position, n.content as text_content,
       {field n heading} as heading_context, {number n start} as char_start, {number n end} as char_end,
       n.content_hash as text_hash, n.namespace, n.boundary_class, n.valid_to, n.created_at, n.updated_at {owner n}
from {table nodes} n
where {visible n} and n.kind = 'fragment'

-- name: claims
select n.id, n.task_id, n.content as claim_text, n.claim_kind, n.claim_kind as claim_type,
       n.confidence as llm_claim_confidence,
       case when n.rejected_at is null then 'adopted' else 'rejected' end as claim_adoption_status,
       n.rejected_at, n.scope, n.namespace, n.boundary_class, n.confidence, n.utility, n.quality, n.superseded_by,
       n.slot, n.valid_from, n.valid_to, {holds_now n} as holds_now, n.speaker, n.session, n.observed_at, n.expires_at,
       n.created_at, n.updated_at, n.written_by, n.imported_from {owner n}
from {table nodes} n
where {visible n} and n.kind = 'claim' and (n.expires_at is null or n.expires_at > {now})

-- name: memos
select n.id, n.title, n.content, {whole n metadata} as metadata, n.namespace, n.boundary_class, n.scope, n.confidence,
       n.utility, n.quality, n.superseded_by, n.slot, n.valid_from, n.valid_to, {holds_now n} as holds_now,
       n.speaker, n.session, n.observed_at, n.expires_at, n.created_at, n.updated_at, n.written_by, n.imported_from {owner n}
from {table nodes} n
where {visible n} and n.kind = 'memo' and (n.expires_at is null or n.expires_at > {now})

-- name: entities
select n.id, n.content as name, n.namespace, n.created_at {owner n}
from {table nodes} n
where {visible n} and n.kind = 'entity'

-- name: edges
select e.seq as id, e.source_kind as source_type, e.source_id, e.target_kind as target_type, e.target_id,
       e.tag as relation,
       case when e.tag in ('supports', 'refutes', 'neutral') then e.tag end as nli_label,
       case when e.tag in ('supports', 'refutes', 'neutral') then e.confidence end as nli_edge_confidence,
       case when e.tag = 'cites' then coalesce(e.judge, 'extraction') end as citation_source,
       case when e.tag = 'cites' then e.reason end as citation_context,
       coalesce(e.judge = 'human', 1 = 0) as edge_human_corrected,
       e.weight, e.confidence, e.reason, e.judge, e.source_namespace as namespace, e.boundary_class, e.observed_at,
       e.valid_from, e.valid_to, {holds_now e} as holds_now, e.created_at, e.updated_at {owner e}
from {table edges} e
where {visible_edge e}

-- name: embeddings
-- A node has one vector of each model, so that both together are its id. created_at is null for vectors that were made
-- before their time was noted.
select n.id || ':' || m.model_id as id, n.kind as target_type, n.id as target_id, m.model_id, m.dimension,
       v.content_hash, {vector v} as embedding_blob, v.created_at {owner v}
from {table embeddings} v
join {table nodes} n on n.owner_id = v.owner_id and n.seq = v.node_seq
join {table embedding_models} m on m.number = v.model
where {visible n}

-- name: evidence
-- An edge is visible only if both of its ends are, so that they need no check of their own. {claim x} is a column of
-- its claim, which costs nothing unless it is used.
select e.seq as edge_id, e.tag as relation, e.confidence as nli_edge_confidence, e.judge,
       e.source_id as fragment_id, e.target_id as claim_id, e.task_id, {claim content} as claim_text, e.page_id,
       e.domain, e.year {owner e}
from {table edges} e
{joins}
where {visible_edge e} and e.source_kind = 'fragment' and e.target_kind = 'claim'
  and e.tag in ('supports', 'refutes', 'neutral') and not {is_rejected}

-- name: history
-- Events that tell of nothing that the access may not see; a payload names no nodes but these two.
select e.seq as id, e.at, e.topic, e.node_id, e.other_id, e.part_of, e.namespace, e.request_id, e.trace_id,
       {whole e payload} as payload {owner e}
from {table events} e
where {visible_event e}

-- name: clock
select {year} as this_year
