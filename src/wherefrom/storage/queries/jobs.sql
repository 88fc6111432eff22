-- Jobs of upkeep: each is done by one process at a time, which holds a lease on it.

-- name: jobs_all
select j.name, j.holder, j.leased_until, j.last_started, j.last_ended, j.last_result, j.last_error
from jobs j
order by j.name

-- name: job_add
insert into jobs (name)
values (:name)
on conflict do nothing

-- name: job_claim
-- If nobody does it and it is due, or its holder let the lease run out.
update jobs
set holder = :holder, leased_until = :until, last_started = :now
where name = :name and (
    leased_until <= :now
    or (leased_until is null and (last_started is null or last_started <= :due))
)

-- name: job_extend
update jobs
set leased_until = :until
where name = :name and holder = :holder and leased_until is not null

-- name: job_end
-- A job that was interrupted has no result and no error; the next process may take it at once.
update jobs
set leased_until = null, last_ended = :now, last_result = :result, last_error = :error
    , last_started = null --if again
where name = :name and holder = :holder and leased_until is not null

-- name: namespaces_to_sweep
-- Owners, and the first segments of their namespaces, that have something expired, or events, contexts or receipts that
-- are past their time. Events are looked for owner by owner, each by its index: all of them are many. One namespace of
-- theirs is enough, because they are purged for an owner as a whole.
with recursive owners_of_events(owner_id) as (
    select min(e.owner_id) from events e
    union all
    select (select min(e.owner_id) from events e where e.owner_id > o.owner_id)
    from owners_of_events o
    where o.owner_id is not null
)
select distinct p.owner_id, {first_segment p.namespace}
from (
    select n.owner_id, n.namespace from nodes n where n.expires_at is not null and n.expires_at <= :now
    union all
    select r.owner_id, r.namespace from retired r where r.retired_at < :receipts_before
    union all
    select o.owner_id, (
        select e.namespace from events e where e.owner_id = o.owner_id and e.at < :events_before order by e.at limit 1
    )
    from owners_of_events o
    union all
    select c.owner_id, c.namespace from active_contexts c where c.expires_at < :contexts_before
) p
where p.namespace is not null
order by 1, 2
