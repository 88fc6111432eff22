-- Makes the schema that agents' SQL lives in. $base is the schema of the store.
--
-- Two roles that nobody can log in as: wherefrom_agent, which statements run as, may read the views of this schema and
-- nothing else; wherefrom_views, which owns the views, may read the store's tables under row-level security. What they
-- show comes from a signed setting of the transaction: without our secret nobody can make another.

drop schema if exists wherefrom_agent cascade;
create schema wherefrom_agent;
revoke all on schema wherefrom_agent from public;
grant usage on schema wherefrom_agent to wherefrom_agent;
grant usage, create on schema wherefrom_agent to wherefrom_views;
grant usage on schema $base to wherefrom_views;

create function wherefrom_agent.scope() returns jsonb
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$body$$
declare
    given text := current_setting('wherefrom.scope', true);
    body text := substr(given, 65);
    secret text;
begin
    select s.secret into secret from $base.agent_secrets s limit 1;
    if body is null or left(given, 64) is distinct from encode(
        sha256(convert_to(secret || encode(sha256(convert_to(secret || body, 'UTF8')), 'hex'), 'UTF8')), 'hex'
    ) or cast(body as jsonb) ->> 'backend' is distinct from cast(pg_backend_pid() as text) then
        raise exception 'this statement has no scope';
    end if;
    return cast(body as jsonb);
end
$$body$$;
create function wherefrom_agent.scope_text(name text) returns text
language plpgsql stable parallel safe as $$body$$ begin return wherefrom_agent.scope() ->> name; end $$body$$;
create function wherefrom_agent.scope_list(name text) returns text[]
language plpgsql stable parallel safe as $$body$$
begin
    return array(select jsonb_array_elements_text(wherefrom_agent.scope() -> name));
end
$$body$$;

create function wherefrom_agent.hides(hidden text[], boundary_class text, namespace text) returns boolean
language sql immutable parallel safe as $$body$$
    select exists (select 1 from unnest(hidden) as h where starts_with(boundary_class || ' ' || namespace || '/', h))
$$body$$;

-- Whether a namespace lies in one of the further roots, which end in /.
create function wherefrom_agent.reaches(roots text[], namespace text) returns boolean
language sql immutable parallel safe as $$body$$
    select exists (select 1 from unnest(roots) as r where starts_with(namespace || '/', r))
$$body$$;

alter table $base.nodes enable row level security;
alter table $base.edges enable row level security;
alter table $base.tasks enable row level security;
alter table $base.queries enable row level security;
alter table $base.embeddings enable row level security;

-- For everyone else nothing changes.
drop policy if exists wherefrom_everyone on $base.nodes;
drop policy if exists wherefrom_everyone on $base.edges;
drop policy if exists wherefrom_everyone on $base.tasks;
drop policy if exists wherefrom_everyone on $base.queries;
drop policy if exists wherefrom_everyone on $base.embeddings;
create policy wherefrom_everyone on $base.nodes using (true) with check (true);
create policy wherefrom_everyone on $base.edges using (true) with check (true);
create policy wherefrom_everyone on $base.tasks using (true) with check (true);
create policy wherefrom_everyone on $base.queries using (true) with check (true);
create policy wherefrom_everyone on $base.embeddings using (true) with check (true);

drop policy if exists wherefrom_agents on $base.nodes;
drop policy if exists wherefrom_agents on $base.edges;
drop policy if exists wherefrom_agents on $base.tasks;
drop policy if exists wherefrom_agents on $base.queries;
drop policy if exists wherefrom_agents on $base.embeddings;
create policy wherefrom_agents on $base.nodes as restrictive for select to wherefrom_views using (
    owner_id = (select wherefrom_agent.scope_text('owner'))
    and (namespace = (select wherefrom_agent.scope_text('root'))
         or starts_with(namespace, (select wherefrom_agent.scope_text('below')))
         or ((select wherefrom_agent.scope_text('also')) is not null
             and wherefrom_agent.reaches((select wherefrom_agent.scope_list('also'))::text[], namespace)))
    and boundary_class = any ((select wherefrom_agent.scope_list('classes'))::text[])
    and ((select wherefrom_agent.scope_text('hidden')) is null
         or not wherefrom_agent.hides((select wherefrom_agent.scope_list('hidden'))::text[], boundary_class, namespace))
);
create policy wherefrom_agents on $base.edges as restrictive for select to wherefrom_views using (
    owner_id = (select wherefrom_agent.scope_text('owner'))
    and (source_namespace = (select wherefrom_agent.scope_text('root'))
         or starts_with(source_namespace, (select wherefrom_agent.scope_text('below')))
         or ((select wherefrom_agent.scope_text('also')) is not null
             and wherefrom_agent.reaches((select wherefrom_agent.scope_list('also'))::text[], source_namespace)))
    and (target_namespace = (select wherefrom_agent.scope_text('root'))
         or starts_with(target_namespace, (select wherefrom_agent.scope_text('below')))
         or ((select wherefrom_agent.scope_text('also')) is not null
             and wherefrom_agent.reaches((select wherefrom_agent.scope_list('also'))::text[], target_namespace)))
    and boundary_class = any ((select wherefrom_agent.scope_list('classes'))::text[])
    and ((select wherefrom_agent.scope_text('hidden')) is null
         or not (wherefrom_agent.hides((select wherefrom_agent.scope_list('hidden'))::text[], boundary_class, source_namespace)
                 or wherefrom_agent.hides((select wherefrom_agent.scope_list('hidden'))::text[], boundary_class, target_namespace)))
);
create policy wherefrom_agents on $base.tasks as restrictive for select to wherefrom_views using (
    owner_id = (select wherefrom_agent.scope_text('owner'))
    and (namespace = (select wherefrom_agent.scope_text('root'))
         or starts_with(namespace, (select wherefrom_agent.scope_text('below')))
         or ((select wherefrom_agent.scope_text('also')) is not null
             and wherefrom_agent.reaches((select wherefrom_agent.scope_list('also'))::text[], namespace)))
    and boundary_class = any ((select wherefrom_agent.scope_list('classes'))::text[])
    and ((select wherefrom_agent.scope_text('hidden')) is null
         or not wherefrom_agent.hides((select wherefrom_agent.scope_list('hidden'))::text[], boundary_class, namespace))
);
create policy wherefrom_agents on $base.queries as restrictive for select to wherefrom_views using (
    owner_id = (select wherefrom_agent.scope_text('owner'))
);
create policy wherefrom_agents on $base.embeddings as restrictive for select to wherefrom_views using (
    owner_id = (select wherefrom_agent.scope_text('owner'))
);
grant select on $base.nodes, $base.edges, $base.tasks, $base.queries, $base.embeddings, $base.embedding_models
    to wherefrom_views;
