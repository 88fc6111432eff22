-- A page takes its fragments with it.
create function pages_take_fragments() returns trigger language plpgsql as $$body$$
begin
    delete from nodes where owner_id = old.owner_id and page_id = old.id;
    return old;
end
$$body$$;
create trigger pages_take_fragments after delete on nodes
    for each row when (old.kind = 'page') execute function pages_take_fragments();

-- Signs what an agent's statements may see, so that they cannot change it; see storage/agent/postgres_setup.sql.
create table agent_secrets (
    secret  text not null
);
insert into agent_secrets (secret) values (gen_random_uuid()::text || gen_random_uuid()::text);
