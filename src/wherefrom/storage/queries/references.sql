-- References: what a caller names by its id, by the last characters of its id, or, if it is a node, by its title.

-- fragment: tail
-- The last six characters of an id, by which nodes and receipts have an index.
substr({0}, length({0}) - 5)

-- fragment: ends_as_given
(length({0}) > length(cast(:given as text)) and substr({0}, length({0}) - length(cast(:given as text)) + 1) = :given)

-- fragment: is_given
{0} = :given --unless tail
({0} = :given or {ends_as_given {0}}) --if tail

-- fragment: node_ends_as_given
select e.seq from nodes e where e.owner_id = :owner and {tail e.id} = :tail and {ends_as_given e.id}

-- fragment: named_so
select o.seq from names m join nodes o on o.owner_id = :owner and o.id = m.node_id
where m.owner_id = :owner and m.head in {each heads} and m.name in {each names} and {visible_or_masked o}

-- fragment: receipt_ends_as_given
select e.seq from retired e where e.owner_id = :owner and e.kind = 'node' and {tail e.node_id} = :tail and {ends_as_given e.node_id}

-- name: nodes_referred
-- The nodes that may be meant: by id, by its end, by title whatever the case of A to Z, and by the names that titles and
-- aliases stand for; in this order, so that the limit cuts what counts least.
select {node n}
from nodes n
where {visible_or_masked n} and n.seq in (
    select i.seq from nodes i where i.owner_id = :owner and i.id = :given
    union {node_ends_as_given} --if tail
    union {named_so} --if names
    union
    select x.seq
    from (
        select t.seq
        from nodes t
        where {visible_or_masked t} and t.title is not null and {folded t.title} = :folded
        order by case when t.title = :given then 0 else 1 end, t.seq desc
        limit :limit
    ) as x
)
order by case
    when n.id = :given then 0
    when {ends_as_given n.id} then 1 --if tail
    when n.title = :given then 2
    else 3
end, n.seq desc
limit :limit

-- name: receipts_referred
-- The receipts of nodes that are not here, by the node's id or its end, newest first.
select r.seq, r.run_id, r.node_id, r.namespace, r.row_seq, r.content, r.reason, r.retired_at, r.stand_in
from retired r
where r.owner_id = :owner and r.kind = 'node' and {readable r.namespace} and r.seq in (
    select i.seq from retired i where i.owner_id = :owner and i.node_id = :given
    union {receipt_ends_as_given} --if tail
)
  and not exists (select 1 from nodes n where n.owner_id = :owner and n.id = r.node_id)
order by r.seq desc
limit :limit

-- name: tasks_referred
select t.id, t.query, t.created_at
from tasks t
where {visible t} and {is_given t.id}
order by t.created_at desc
limit :limit

-- name: queries_referred
select q.id, q.query_text, q.executed_at
from queries q
join tasks t on t.owner_id = :owner and t.id = q.task_id
where q.owner_id = :owner and {visible t} and {is_given q.id}
order by q.executed_at desc
limit :limit

-- name: plans_referred
-- A plan of metabolism that was applied is known by its run, too.
select p.id, '', p.created_at
from (
    select i.id, i.id as named, i.namespace, i.created_at from insight_plans i where i.owner_id = :owner
    union all
    select m.id, m.id, m.namespace, m.created_at from metabolism_plans m where m.owner_id = :owner
    union all
    select m.id, m.run_id, m.namespace, m.created_at from metabolism_plans m
    where m.owner_id = :owner and m.run_id is not null
) as p
where {inside p.namespace root} and {is_given p.named}
order by p.created_at desc
limit :limit

-- name: contexts_referred
-- Ends are looked for among the ids alone, which the index of the key holds: the rows are long, and there are many.
select c.id, c.question, c.created_at
from active_contexts c
where c.owner_id = :owner and {inside c.namespace root} and c.id in (
    select cast(:given as text)
    union all select i.id from active_contexts i where i.owner_id = :owner and {ends_as_given i.id} --if tail
)
order by c.created_at desc
limit :limit

-- fragment: ends_of_runs
-- The ids that end so of runs with receipts: from one run to the next by the index, past all their receipts.
select v.id
from (
    with recursive runs (id) as (
        select min(f.run_id) from retired f where f.owner_id = :owner
        union all
        select (select min(f.run_id) from retired f where f.owner_id = :owner and f.run_id > runs.id)
        from runs
        where runs.id is not null
    )
    select runs.id from runs where runs.id is not null and {ends_as_given runs.id}
) as v
union
select m.id from metabolism_runs m where m.owner_id = :owner and {ends_as_given m.id}

-- name: runs_referred
-- Runs of metabolism, and all others of which there are receipts; of which the access may see that they were, or that
-- they let a node go.
select e.part_of, '', min(e.at)
from events e
where {visible_event e} and e.topic in ('metabolism', 'retire') and e.part_of in (
    select cast(:given as text)
    union {ends_of_runs} --if tail
)
group by e.part_of
order by min(e.at) desc
limit :limit
