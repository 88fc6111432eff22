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

-- seen_seq: nodes up to here were judged when everything new was asked for. gates: the values that they saw last.
create table insight_state (
    owner_id    $key not null,
    namespace   $key not null,
    seen_seq    bigint not null,
    gates       text,
    updated_at  $key not null,
    primary key (owner_id, namespace)
);
