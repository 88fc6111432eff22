-- Evidence: tasks and their queries, pages and fragments, and the corrections that people make.

-- A fragment's page and its place there; domain and year of a page and of its fragments; when a claim was rejected.
alter table nodes add column page_id $key;
alter table nodes add column position integer;
alter table nodes add column domain text;
alter table nodes add column year integer;
alter table nodes add column rejected_at $key;

-- The same text is kept once in a namespace, and again for each task, page and place there.
drop index nodes_same_text;
create unique index nodes_same_text on nodes
    (owner_id, namespace, kind, content_hash, coalesce(task_id, ''), coalesce(page_id, ''), coalesce(position, -1));
create index nodes_of_page on nodes (owner_id, page_id, position) where page_id is not null;

-- All that the analyses read of pages, without looking at their rows; and the few claims that they leave out.
create index nodes_rejected on nodes (owner_id, id) where rejected_at is not null;
create index nodes_pages on nodes (owner_id, id, domain, year, namespace, boundary_class) where kind = 'page';

-- What is at the ends of an edge, so that nobody has to look there: kinds, the page of a fragment with its domain and
-- year, the task of a claim.
alter table edges add column source_kind text not null default 'memo'
    check (source_kind in ('memo', 'claim', 'fragment', 'page', 'entity'));
alter table edges add column target_kind text not null default 'memo'
    check (target_kind in ('memo', 'claim', 'fragment', 'page', 'entity'));
alter table edges add column page_id $key;
alter table edges add column domain text;
alter table edges add column year integer;
alter table edges add column task_id $key;
update edges
set source_kind = (select s.kind from nodes s where s.owner_id = edges.owner_id and s.id = edges.source_id),
    target_kind = (select t.kind from nodes t where t.owner_id = edges.owner_id and t.id = edges.target_id),
    task_id = (select t.task_id from nodes t where t.owner_id = edges.owner_id and t.id = edges.target_id);
-- What a fragment says about a claim, it says once; the latest holds.
delete from edges
where source_kind = 'fragment' and target_kind = 'claim' and tag in ('supports', 'refutes', 'neutral') and exists (
    select 1 from edges later
    where later.owner_id = edges.owner_id and later.source_id = edges.source_id and later.target_id = edges.target_id
      and later.tag in ('supports', 'refutes', 'neutral') and later.seq > edges.seq
);
create unique index edges_one_judgement on edges (owner_id, source_id, target_id)
    where source_kind = 'fragment' and target_kind = 'claim' and tag in ('supports', 'refutes', 'neutral');
create index edges_from_page on edges (owner_id, page_id) where page_id is not null;

create table tasks (
    owner_id        $key not null,
    id              $key not null,
    namespace       $key not null,
    boundary_class  text not null check (boundary_class in ('public', 'internal', 'pii', 'secret')),
    query           text not null,
    status          text not null
        check (status in ('created', 'exploring', 'paused', 'completed', 'failed', 'cancelled')),
    result_summary  text,
    error_message   text,
    created_at      $key not null,
    started_at      $key,
    completed_at    $key,
    updated_at      $key not null,
    primary key (owner_id, id)
);
create index tasks_in_order on tasks (owner_id, created_at, id);

create table queries (
    owner_id          $key not null,
    id                $key not null,
    task_id           $key not null,
    query_text        text not null,
    query_type        text not null check (query_type in ('initial', 'expansion', 'mirror', 'reverse')),
    language          text,
    parent_query_id   $key,
    depth             integer not null,
    result_count      integer,
    useful_fragments  integer not null,
    executed_at       $key not null,
    primary key (owner_id, id),
    foreign key (owner_id, task_id) references tasks (owner_id, id) on delete cascade
);
create index queries_of_task on queries (owner_id, task_id, executed_at);

-- What people corrected, and what it was before. An edge is named by its ends, a claim by itself.
create table corrections (
    seq                $seq,
    owner_id           $key not null,
    action             text not null check (action in ('edge_correct', 'claim_reject', 'claim_restore')),
    claim_id           $key not null,
    source_id          $key,
    relation_before    text,
    relation_after     text,
    confidence_before  double precision,
    reason             text not null,
    at                 $key not null,
    $identity (owner_id, seq),
    foreign key (owner_id, claim_id) references nodes (owner_id, id) on delete cascade
);
create index corrections_of_claim on corrections (owner_id, claim_id, seq);
