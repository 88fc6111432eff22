-- Upkeep: its runs, and what is new since the last of them.

-- fragment: upkeep_run = r.id, r.state, r.metabolism_at, r.started_at, r.ended_at, r.undone_at, r.content

-- name: upkeep_runs_newest
select {upkeep_run}
from upkeep_runs r
where r.owner_id = :owner and r.namespace = :root and r.seen_by = :seen_by
order by r.started_at desc, r.id desc
limit :limit

-- name: upkeep_run_get
select {upkeep_run}
from upkeep_runs r
where r.owner_id = :owner and r.namespace = :root and r.seen_by = :seen_by and r.id = :id

-- name: upkeep_taken_back
-- Whether a run was undone, and none was applied after that.
select 1
from upkeep_runs u
where u.owner_id = :owner and u.namespace = :root and u.seen_by = :seen_by and u.state = 'undone' and not exists (
    select 1 from upkeep_runs a
    where a.owner_id = :owner and a.namespace = :root and a.seen_by = :seen_by
      and a.state = 'applied' and a.ended_at > u.undone_at
)
limit 1

-- name: upkeep_run_put
insert into upkeep_runs
    (owner_id, id, namespace, seen_by, state, metabolism_at, started_at, ended_at, undone_at, content)
values (:owner, :id, :root, :seen_by, :state, :metabolism_at, :started_at, :ended_at, :undone_at, :content)
on conflict (owner_id, id) do update
set state = excluded.state, metabolism_at = excluded.metabolism_at, ended_at = excluded.ended_at,
    undone_at = excluded.undone_at, content = excluded.content

-- name: upkeep_runs_purge
-- The newest stays, however old it is: it says up to where insight has looked.
delete from upkeep_runs
where owner_id = :owner and namespace = :root and seen_by = :seen_by and id <> :id and started_at < :before

-- name: upkeep_runs_move
{move upkeep_runs}

-- name: upkeep_runs_referred
select r.id, '', r.started_at
from upkeep_runs r
where r.owner_id = :owner and {inside r.namespace root} and {is_given r.id}
order by r.started_at desc
limit :limit

-- name: upkeep_new
-- How many nodes came after a seq, as far as it matters, and when the newest of these was saved.
select count(*), max(v.created_at)
from (
    select n.created_at
    from nodes n
    where {visible n} and {live n} and n.seq > :after and n.kind in {each kinds}
      and n.superseded_by is null and n.valid_to is null
    limit :limit
) as v

-- name: upkeep_changed
-- Whether there is an event since a time of what may change what metabolism finds.
select 1
from events e
where e.owner_id = :owner and e.at > :since
  and e.topic not in ('search', 'search_fallback', 'activate', 'filter', 'plan', 'upkeep', 'task')
limit 1

-- name: upkeep_metabolism
select r.state, r.counts
from metabolism_runs r
where r.owner_id = :owner and r.id = :id

-- name: upkeep_places
-- Owners, and the first segments of their namespaces, with nodes after a seq: from one owner to the next by the index.
with recursive owners_of_nodes(owner_id) as (
    select min(n.owner_id) from nodes n
    union all
    select (select min(n.owner_id) from nodes n where n.owner_id > o.owner_id)
    from owners_of_nodes o
    where o.owner_id is not null
)
select o.owner_id, {first_segment n.namespace}, max(n.seq)
from owners_of_nodes o
join nodes n on n.owner_id = o.owner_id and n.seq > :after
group by 1, 2
order by 1, 2

-- name: upkeep_runs_waiting
select {upkeep_run}
from upkeep_runs r
where r.owner_id = :owner and r.state = 'proposed'

-- name: upkeep_run_recount
update upkeep_runs
set content = :content
where owner_id = :owner and id = :id and state = 'proposed'

-- name: upkeep_plans_of_insight
select p.id, p.state, p.content
from insight_plans p
where p.owner_id = :owner and p.id in {each ids}

-- name: upkeep_plans_of_metabolism
select p.id, p.content, p.run_id
from metabolism_plans p
where p.owner_id = :owner and p.id in {each ids}

-- name: upkeep_edges_here
select count(*)
from edges e
where e.owner_id = :owner and e.seq in {each_number seqs}
