-- {base} is the schema of the store.

-- fragment: table = {base}.{0}
-- fragment: joins = left join {table nodes} c on c.owner_id = e.owner_id and c.id = e.target_id
-- fragment: claim = c.{0}
-- fragment: visible = true
-- fragment: visible_edge = true
-- fragment: visible_event = true
-- fragment: field = (cast({0}.metadata as jsonb) ->> '{1}')
-- fragment: number = cast(cast({0}.metadata as jsonb) ->> '{1}' as integer)
-- fragment: json = (cast({0}.metadata as jsonb) -> '{1}')
-- fragment: whole = cast({0}.{1} as jsonb)
-- fragment: vector = cast({0}.vector as text)
-- fragment: now = (select wherefrom_agent.scope_text('now'))
-- A subquery is run once; the function would be called for every row.
-- fragment: year = (select cast(left(wherefrom_agent.scope_text('now'), 4) as integer))
-- fragment: owned = owner_id = (select wherefrom_agent.scope_text('owner'))

-- fragment: reached
-- A namespace inside the scope, where it hides nothing of this class.
({0} = (select wherefrom_agent.scope_text('root')) or starts_with({0}, (select wherefrom_agent.scope_text('below')))
 or ((select wherefrom_agent.scope_text('also')) is not null
     and wherefrom_agent.reaches((select wherefrom_agent.scope_list('also'))::text[], {0})))
and ((select wherefrom_agent.scope_text('hidden')) is null
     or not wherefrom_agent.hides((select wherefrom_agent.scope_list('hidden'))::text[], boundary_class, {0}))

-- fragment: whole_of
-- An event of no single node may count any of its namespace and of those below: all of them must be seen.
(node_id is not null or (select wherefrom_agent.scope_text('hidden')) is null
 or not wherefrom_agent.hides_below((select wherefrom_agent.scope_list('hidden'))::text[], {0}))

-- fragment: classed = boundary_class = any ((select wherefrom_agent.scope_list('classes'))::text[])

-- fragment: guarded
alter table {table {0}} enable row level security;
-- For everyone else nothing changes.
drop policy if exists wherefrom_everyone on {table {0}};
create policy wherefrom_everyone on {table {0}} using (true) with check (true);
drop policy if exists wherefrom_agents on {table {0}};
create policy wherefrom_agents on {table {0}} as restrictive for select to wherefrom_views using
