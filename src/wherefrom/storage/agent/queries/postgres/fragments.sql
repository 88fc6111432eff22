-- {base} is the schema of the store, {agents} the roles of agents under all names. {readers}, {backend} and {nested} differ where the store is distributed.

-- fragment: table = {base}.{0}
-- fragment: owner = , {0}.owner_id
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
-- fragment: now = wherefrom_agent.scope_text('now')
-- fragment: year = cast(left({now}, 4) as integer)
-- fragment: owned = owner_id = wherefrom_agent.scope_text('owner')

-- fragment: is_rejected
exists (
    select 1 from {table nodes} r
    where r.owner_id = e.owner_id and r.id = e.target_id and r.rejected_at is not null
)

-- fragment: reached
-- A namespace inside the scope, where it hides nothing of this class.
({0} = wherefrom_agent.scope_text('root') or starts_with({0}, wherefrom_agent.scope_text('below'))
 or (wherefrom_agent.scope_has('also')
     and wherefrom_agent.reaches(wherefrom_agent.scope_list('also'), {0})))
and (not wherefrom_agent.scope_has('hidden')
     or not wherefrom_agent.hides(wherefrom_agent.scope_list('hidden'), boundary_class, {0}))

-- fragment: whole_of
-- An event of no single node may count any of its namespace and of those below: all of them must be seen.
(node_id is not null or not wherefrom_agent.scope_has('hidden')
 or not wherefrom_agent.hides_below(wherefrom_agent.scope_list('hidden'), {0}))

-- fragment: classed = boundary_class = any (wherefrom_agent.scope_list('classes'))

-- fragment: guarded
-- Each policy lets rows through, and none takes any away: Citus would make a restrictive policy one that lets through.
-- Nor is there a subquery in them, or a function that `is null`, which Citus refuses.
alter table {table {0}} enable row level security;
-- For everyone else nothing changes.
drop policy if exists wherefrom_everyone on {table {0}};
create policy wherefrom_everyone on {table {0}}
    using (current_user not in ({agents})) with check (true);
drop policy if exists wherefrom_agents on {table {0}};
create policy wherefrom_agents on {table {0}} for select to {readers} using
