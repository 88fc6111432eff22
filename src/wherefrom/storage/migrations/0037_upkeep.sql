-- Upkeep: its runs, of which at most one waits or is under way for those who see the same of a root.

-- seen_by: the boundary classes and hidden places of the access. metabolism_at: when metabolism last looked.
-- content: up to where insight has looked, ids of plans and runs, and figures; no text and no id of any node.
create table upkeep_runs (
    owner_id        {key} not null,
    id              {key} not null,
    namespace       {key} not null,
    seen_by         {key} not null,
    state           text not null check (state in ('proposed', 'applying', 'applied', 'undone')),
    metabolism_at   {key},
    started_at      {key} not null,
    ended_at        {key},
    undone_at       {key},
    content         text not null,
    constraint upkeep_runs_key primary key (owner_id, id)
);
create index upkeep_runs_in_order on upkeep_runs (owner_id, namespace, seen_by, started_at, id);
