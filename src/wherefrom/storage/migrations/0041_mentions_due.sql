-- Nodes of an import whose mentions are still to be found: one that is cut off leaves them, and the next one goes on.

-- seen_by: the boundary classes and hidden places of the access. node_ids: as JSON; number: how many they are.
create table mentions_due (
    owner_id   {key} not null,
    id         {key} not null,
    namespace  {key} not null,
    seen_by    {key} not null,
    number     integer not null,
    node_ids   text not null,
    constraint mentions_due_key primary key (owner_id, id)
);
