-- Recall: policies, active contexts, feedback, and the names that texts mention.

-- When utility and quality were last judged: they decay from then on. Null: when the node was made.
alter table nodes add column judged_at $key;
create index nodes_expiring on nodes (owner_id, expires_at) where expires_at is not null;
create index nodes_useful on nodes (owner_id) where utility <> 0;

-- Who made an edge, if not the caller: `names` for mentions found in a text.
alter table edges add column judge text;

-- Policies by namespace; the newest of a namespace holds, the others are its history.
create table policies (
    seq         $seq,
    owner_id    $key not null,
    namespace   $key not null,
    version     $key not null,
    yaml        text not null,
    approver    text,
    applied_at  $key not null,
    $identity (owner_id, seq)
);
create unique index policies_by_version on policies (owner_id, namespace, version);

create table active_contexts (
    owner_id        $key not null,
    id              $key not null,
    namespace       $key not null,
    question        text not null,
    scopes          text not null,
    policy_version  text not null,
    provenance      text not null,
    created_at      $key not null,
    expires_at      $key not null,
    primary key (owner_id, id)
);
create index active_contexts_expiring on active_contexts (owner_id, expires_at);

create table active_context_items (
    owner_id    $key not null,
    context_id  $key not null,
    rank        integer not null,
    node_id     $key not null,
    score       double precision not null,
    reason      text not null,
    primary key (owner_id, context_id, rank),
    foreign key (owner_id, context_id) references active_contexts (owner_id, id) on delete cascade,
    foreign key (owner_id, node_id) references nodes (owner_id, id) on delete cascade
);
create index active_context_items_of_node on active_context_items (owner_id, node_id);

create table feedback (
    owner_id    $key not null,
    id          $key not null,
    node_id     $key not null,
    context_id  $key,
    signal      text not null check (signal in ('helpful', 'harmful', 'outdated', 'duplicate', 'completed')),
    request_id  $key,
    at          $key not null,
    primary key (owner_id, id),
    foreign key (owner_id, node_id) references nodes (owner_id, id) on delete cascade
);
create index feedback_of_node on feedback (owner_id, node_id);
create unique index feedback_by_request on feedback (owner_id, request_id) where request_id is not null;

-- The names that nodes go by, as text/names.py writes them; head is a name's first two words.
create table names (
    owner_id  $key not null,
    head      $key not null,
    name      $key not null,
    node_id   $key not null,
    primary key (owner_id, head, name, node_id),
    foreign key (owner_id, node_id) references nodes (owner_id, id) on delete cascade
);
create index names_of_node on names (owner_id, node_id);
