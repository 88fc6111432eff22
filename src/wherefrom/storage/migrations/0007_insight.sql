-- Insight: plans of links, and what the gates of a namespace have seen.

-- asked: what it was made for, without the words of a question. content: its links and what the gates saw in it;
-- ids and figures, no text of any node.
create table insight_plans (
    owner_id    $key not null,
    id          $key not null,
    namespace   $key not null,
    state       text not null check (state in ('proposed', 'applied', 'undone')),
    asked       text not null,
    content     text not null,
    created_at  $key not null,
    applied_at  $key,
    undone_at   $key,
    primary key (owner_id, id)
);
create index insight_plans_in_order on insight_plans (owner_id, created_at);
create index insight_plans_proposed on insight_plans (owner_id, created_at) where state = 'proposed';

-- Up to which node everything new was judged, for those who see these boundary classes.
create table insight_seen (
    owner_id    $key not null,
    namespace   $key not null,
    seen_by     $key not null,
    seq         bigint not null,
    primary key (owner_id, namespace, seen_by)
);

-- The values that the gates of a namespace saw last.
create table insight_gates (
    owner_id    $key not null,
    namespace   $key not null,
    state       text not null,
    updated_at  $key not null,
    primary key (owner_id, namespace)
);
