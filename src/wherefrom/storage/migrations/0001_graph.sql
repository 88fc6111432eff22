-- The graph: nodes and edges, and what is kept beside them.
--
-- Words with a dollar sign are the dialect's: $seq an integer that counts up and is never used again, $key text
-- compared byte by byte, $identity the constraint that (owner_id, ...) identifies a row.

create table nodes (
    seq             $seq,
    owner_id        $key not null,
    id              $key not null,
    namespace       $key not null,
    kind            text not null check (kind in ('memo', 'claim', 'fragment', 'page', 'entity')),
    title           text,
    content         text not null,
    metadata        text not null,
    content_hash    $key not null,
    provenance      text not null,
    claim_kind      text check (claim_kind in ('fact', 'preference', 'task', 'policy_hint')),
    scope           text check (scope in ('session', 'project', 'principle')),
    boundary_class  text not null check (boundary_class in ('public', 'internal', 'pii', 'secret')),
    utility         double precision not null,
    confidence      double precision not null check (confidence between 0 and 1),
    quality         double precision not null check (quality between 0 and 1),
    pinned          boolean not null,
    observed_at     $key not null,
    recency_anchor  $key not null,
    expires_at      $key,
    valid_from      $key,
    valid_to        $key,
    superseded_by   $key,
    created_at      $key not null,
    updated_at      $key not null,
    version         integer not null check (version > 0),
    $identity (owner_id, id)
);

-- The same text is kept once in a namespace.
create unique index nodes_same_text on nodes (owner_id, namespace, kind, content_hash);
-- Newest first, with all that decides who may see a row: lists read only the rows they show.
create index nodes_in_order on nodes (owner_id, kind, seq, namespace, boundary_class);

create table edges (
    seq               $seq,
    owner_id          $key not null,
    source_id         $key not null,
    target_id         $key not null,
    tag               $key not null,
    weight            double precision not null check (weight between 0 and 1),
    confidence        double precision not null check (confidence between 0 and 1),
    reason            text,
    source_namespace  $key not null,
    target_namespace  $key not null,
    boundary_class    text not null check (boundary_class in ('public', 'internal', 'pii', 'secret')),
    observed_at       $key not null,
    created_at        $key not null,
    updated_at        $key not null,
    version           integer not null check (version > 0),
    $identity (owner_id, source_id, target_id, tag),
    foreign key (owner_id, source_id) references nodes (owner_id, id) on delete cascade,
    foreign key (owner_id, target_id) references nodes (owner_id, id) on delete cascade
);

create index edges_in_order on edges (owner_id, seq, source_namespace, target_namespace, boundary_class);
create index edges_into on edges (owner_id, target_id, tag);
create index edges_changed on edges (owner_id, updated_at, seq);

-- What happened, never changed afterwards.
create table events (
    seq         $seq,
    owner_id    $key not null,
    at          $key not null,
    topic       text not null,
    namespace   $key not null,
    payload     text not null,
    request_id  text,
    trace_id    text,
    $identity (owner_id, seq)
);

create table namespace_settings (
    owner_id    $key not null,
    namespace   $key not null,
    name        $key not null,
    value       text not null,
    updated_at  $key not null,
    primary key (owner_id, namespace, name)
);

-- What was let go, in full, so that it can be brought back.
create table retired (
    seq         $seq,
    owner_id    $key not null,
    run_id      $key not null,
    kind        text not null check (kind in ('node', 'edge')),
    node_id     $key not null,
    namespace   $key not null,
    content     text not null,
    reason      text not null,
    retired_at  $key not null,
    $identity (owner_id, seq)
);
create index retired_by_node on retired (owner_id, node_id);
