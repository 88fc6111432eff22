-- Facts that change: the slot of a statement, the time for which a relation holds, and former versions of nodes.

-- slot: a path such as project/database, which has one statement at a time in its namespace and boundary class.
alter table nodes add column slot {key};
create unique index nodes_in_slot on nodes (owner_id, namespace, slot, boundary_class)
    where slot is not null and valid_to is null;
create index nodes_of_slot on nodes (owner_id, slot, namespace) where slot is not null;
alter table edges add column valid_from {key};
alter table edges add column valid_to {key};

-- A statement that has ended does not keep its text from being said again, nor one slot another from having its text.
drop index nodes_same_text;
create unique index nodes_same_text on nodes
    (owner_id, namespace, kind, content_hash, coalesce(task_id, ''), coalesce(page_id, ''), coalesce(position, -1),
     boundary_class, coalesce(slot, ''),
     (case when valid_to is null or kind not in ('memo', 'claim') then '' else id end));

-- A node as it was from known_from to known_to, in full, as JSON.
create table node_versions (
    owner_id    {key} not null,
    node_id     {key} not null,
    version     integer not null,
    known_from  {key} not null,
    known_to    {key} not null,
    content     text not null,
    primary key (owner_id, node_id, version),
    foreign key (owner_id, node_id) references nodes (owner_id, id) on delete cascade
);
create index node_versions_in_time on node_versions (owner_id, known_to, known_from);

-- A statement that another one supersedes has ended when that was said, unless each supersedes the other.
update nodes
set (superseded_by, valid_to) = (
    select e.source_id, coalesce(nodes.valid_to, e.created_at)
    from edges e
    where e.owner_id = nodes.owner_id and e.target_id = nodes.id and e.tag = 'supersedes' and e.source_id <> e.target_id
    order by e.seq desc
    limit 1
)
where kind in ('memo', 'claim') and superseded_by is null and exists (
    select 1 from edges e
    where e.owner_id = nodes.owner_id and e.target_id = nodes.id and e.tag = 'supersedes' and e.source_id <> e.target_id
) and not exists (
    select 1 from edges e
    join edges f on f.owner_id = e.owner_id and f.source_id = e.target_id and f.target_id = e.source_id and f.tag = e.tag
    where e.owner_id = nodes.owner_id and e.target_id = nodes.id and e.tag = 'supersedes'
);
