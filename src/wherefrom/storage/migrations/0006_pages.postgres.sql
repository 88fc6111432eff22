-- A page takes its fragments with it.
create function pages_take_fragments() returns trigger language plpgsql as $$body$$
begin
    delete from nodes where owner_id = old.owner_id and page_id = old.id;
    return old;
end
$$body$$;
create trigger pages_take_fragments after delete on nodes
    for each row when (old.kind = 'page') execute function pages_take_fragments();

-- All that the analyses read of edges, without looking at their rows. What is only included cannot be searched by: as
-- keys, classes and tags made the planner jump about in the index, which took three times as long as reading it.
create index edges_of_evidence on edges (owner_id, target_id)
    include (tag, confidence, source_id, page_id, task_id, domain, year, judge, source_namespace, target_namespace,
    boundary_class, seq)
    where source_kind = 'fragment' and target_kind = 'claim';
create index edges_of_task on edges (owner_id, task_id, target_id)
    include (tag, confidence, source_id, page_id, domain, year, judge, source_namespace, target_namespace,
    boundary_class, seq)
    where source_kind = 'fragment' and target_kind = 'claim';
create index edges_of_pages on edges (owner_id, source_id, target_id)
    include (tag, source_namespace, target_namespace, boundary_class, judge, seq)
    where source_kind = 'page' and target_kind = 'page';
create index edges_of_claims on edges (owner_id, source_id, target_id)
    include (tag, confidence, source_namespace, target_namespace, boundary_class, seq)
    where source_kind = 'claim' and target_kind = 'claim';

-- Signs what an agent's statements may see, so that they cannot change it; see storage/agent/postgres_setup.sql.
create table agent_secrets (
    secret  text not null
);
insert into agent_secrets (secret) values (gen_random_uuid()::text || gen_random_uuid()::text);
