-- Makes the schema that agents' SQL lives in.
--
-- Two roles: wherefrom_agent, which statements run as, may read the views of this schema and nothing else;
-- wherefrom_views, which owns the views, may read the store's tables under row-level security. What they show depends on
-- a signed setting of the transaction: without our secret nobody can make another.
--
-- scope_text, scope_has and scope_list count as immutable, though another transaction has another scope: so the planner
-- calls each once and not for every row, with no subquery around it, and a plan of an agent's statement is used once.
-- scope itself must be stable: these functions keep the plans of what they call, and one with its result would outlive it.
--
-- In a distributed store the servers that hold the rows are sent the views' texts, and run them as wherefrom_agent: there
-- it reads the tables itself, under the same policies, and a scope belongs to a backend of the coordinator. The secret is
-- a table of which each of them has a copy, so that looking it up asks no other server.

-- name: setup
drop schema if exists wherefrom_agent cascade;
create schema wherefrom_agent;
revoke all on schema wherefrom_agent from public;
grant usage on schema wherefrom_agent to wherefrom_agent;
grant usage, create on schema wherefrom_agent to wherefrom_views;
grant usage on schema {base} to {readers};

create function wherefrom_agent.scope() returns jsonb
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp {nested} as $body$
declare
    given text := current_setting('wherefrom.scope', true);
    body text := substr(given, 65);
    secret text;
begin
    select s.secret into secret from {base}.agent_secrets s limit 1;
    if body is null or left(given, 64) is distinct from encode(
        sha256(convert_to(secret || encode(sha256(convert_to(secret || body, 'UTF8')), 'hex'), 'UTF8')), 'hex'
    ) or cast(body as jsonb) ->> 'backend' is distinct from cast({backend} as text) then
        raise exception 'this statement has no scope';
    end if;
    return cast(body as jsonb);
end
$body$;
create function wherefrom_agent.scope_text(name text) returns text
language plpgsql immutable parallel safe as $body$ begin return wherefrom_agent.scope() ->> name; end $body$;
create function wherefrom_agent.scope_has(name text) returns boolean
language plpgsql immutable parallel safe as $body$ begin return wherefrom_agent.scope() ->> name is not null; end $body$;
create function wherefrom_agent.scope_list(name text) returns text[]
language plpgsql immutable parallel safe as $body$
begin
    return array(select jsonb_array_elements_text(wherefrom_agent.scope() -> name));
end
$body$;

create function wherefrom_agent.hides(hidden text[], boundary_class text, namespace text) returns boolean
language sql immutable parallel safe as $body$
    select exists (select 1 from unnest(hidden) as h where starts_with(boundary_class || ' ' || namespace || '/', h))
$body$;

-- True if something is hidden in a namespace, or below it.
create function wherefrom_agent.hides_below(hidden text[], namespace text) returns boolean
language sql immutable parallel safe as $body$
    select exists (select 1 from unnest(hidden) as h where strpos(h, ' ' || namespace || '/') > 0)
$body$;

-- True if a namespace lies in one of the further roots, which end in /.
create function wherefrom_agent.reaches(roots text[], namespace text) returns boolean
language sql immutable parallel safe as $body$
    select exists (select 1 from unnest(roots) as r where starts_with(namespace || '/', r))
$body$;

{guarded nodes} ({owned} and {classed} and {reached namespace});
{guarded tasks} ({owned} and {classed} and {reached namespace});
{guarded edges} ({owned} and {classed} and {reached source_namespace} and {reached target_namespace});
{guarded events} ({owned} and {classed} and {reached namespace} and {reached other_namespace} and {whole_of namespace});
{guarded queries} ({owned});
{guarded embeddings} ({owned});
grant select on {table nodes}, {table edges}, {table tasks}, {table queries}, {table embeddings},
    {table embedding_models} to {readers};
grant select (owner_id, seq, at, topic, node_id, other_id, part_of, namespace, request_id, trace_id, payload)
    on {table events} to {readers};
