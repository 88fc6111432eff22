-- History: events say which nodes they are about and who may see them.

-- node_id: what it is about. other_id: the other node, such as the target of a relation, and where that is (or the
-- namespace again). part_of: the run, plan or task by which it happened. boundary_class: the class that must be seen to
-- be shown it, kept in step with the nodes; null: nobody is shown it.
alter table events add column node_id {key};
alter table events add column other_id {key};
alter table events add column other_namespace {key};
alter table events add column part_of {key};
alter table events add column boundary_class text check (boundary_class in ('public', 'internal', 'pii', 'secret'));

-- What is known of the events that are there.
update events
set node_id = coalesce({text_in payload memo_id}, {text_in payload source_memo_id}, {text_in payload claim_id}),
    other_id = {text_in payload target_memo_id}
where topic in ('ingest', 'integrate', 'delete', 'feedback', 'critic', 'reinforce', 'correct');
update events
set part_of = coalesce({text_in payload plan_id}, {text_in payload task_id}, {text_in payload run_id})
where topic in ('insight', 'task') or (topic = 'metabolism' and {text_in payload state} is not null);

-- Where the nodes are now, and their classes; a node that is neither here nor retired may have been of any class.
update events
set namespace = coalesce(
        (select n.namespace from nodes n where n.owner_id = events.owner_id and n.id = events.node_id), namespace
    ),
    boundary_class = coalesce(
        (select n.boundary_class from nodes n where n.owner_id = events.owner_id and n.id = events.node_id),
        (select {text_in r.content boundary_class} from retired r
         where r.owner_id = events.owner_id and r.node_id = events.node_id and r.kind = 'node'
         order by r.seq desc limit 1),
        'pii'
    )
where node_id is not null;
update events set other_namespace = namespace where node_id is not null;
update events
set other_namespace = n.namespace,
    boundary_class = {stricter events.boundary_class n.boundary_class}
from nodes n
where n.owner_id = events.owner_id and n.id = events.other_id;
update events
set boundary_class = 'pii'
where other_id is not null and not exists (
    select 1 from nodes n where n.owner_id = events.owner_id and n.id = events.other_id
);
update events
set boundary_class = coalesce(
        (select t.boundary_class from tasks t where t.owner_id = events.owner_id and t.id = events.part_of),
        case when part_of is null then 'internal' else 'pii' end
    ),
    other_namespace = case when topic = 'rename' then {text_in payload source} else namespace end
where node_id is null and topic not in ('sweep', 'restore', 'evidence') and (topic <> 'metabolism' or part_of is not null);

-- What was let go, and the plans that are stored.
insert into events (owner_id, at, topic, namespace, payload, node_id, other_namespace, part_of, boundary_class)
select r.owner_id, r.retired_at, 'retire', r.namespace, '{"rule":"' || {text_in r.reason rule} || '"}', r.node_id,
       r.namespace, r.run_id, {text_in r.content boundary_class}
from retired r
where r.kind = 'node'
order by r.seq;
insert into events (owner_id, at, topic, namespace, payload, other_namespace, part_of, boundary_class)
select p.owner_id, p.created_at, 'plan', p.namespace, '{"plan_id":"' || p.id || '"}', p.namespace, p.id, 'pii'
from insight_plans p
order by p.created_at;

create index events_in_time on events (owner_id, at, seq, topic, namespace);
create index events_of_node on events (owner_id, node_id) where node_id is not null;
create index events_of_other on events (owner_id, other_id) where other_id is not null;
create index events_of_part on events (owner_id, part_of) where part_of is not null;
