-- Plans that are decided upon: pairs that somebody declined to relate, and the plans of metabolism.

-- first_id, second_id: the two ends, the lower id first. The hashes are of their texts at that time: if one changes, the
-- pair may be proposed again. plan_id: where it was declined.
create table insight_declined (
    owner_id     {key} not null,
    first_id     {key} not null,
    second_id    {key} not null,
    first_hash   {key} not null,
    second_hash  {key} not null,
    plan_id      {key} not null,
    reason       text,
    declined_at  {key} not null,
    constraint insight_declined_key primary key (owner_id, first_id, second_id),
    foreign key (owner_id, first_id) references nodes (owner_id, id) on delete cascade,
    foreign key (owner_id, second_id) references nodes (owner_id, id) on delete cascade
);
create index insight_declined_second on insight_declined (owner_id, second_id);

-- node_count, link_count: how many go. content: what the plan lets go and by which versions, settings and times it judged; ids and figures, no text of any
-- node. run_id: the run that applied it.
create table metabolism_plans (
    owner_id    {key} not null,
    id          {key} not null,
    namespace   {key} not null,
    seen_by     {key} not null,
    node_count  integer not null,
    link_count  integer not null,
    content     text not null,
    created_at  {key} not null,
    run_id      {key},
    applied_at  {key},
    constraint metabolism_plans_key primary key (owner_id, id)
);
create index metabolism_plans_in_order on metabolism_plans (owner_id, created_at);
