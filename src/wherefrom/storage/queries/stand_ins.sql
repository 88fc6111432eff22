-- Stand-ins: which node answers for one that went.

-- fragment: gone_ends_as_given
-- What is the id of a node that is here is no end of another.
select e.node_id from stand_ins e where e.owner_id = :owner and {tail e.node_id} = :tail and {ends_as_given e.node_id}
  and not exists (select 1 from nodes h where h.owner_id = :owner and h.id = :given)

-- name: stand_ins_referred
-- The nodes that went, by their id or its end, each with the one that stands for it.
select s.node_id, s.went_at, {node n}
from stand_ins s
join nodes n on n.owner_id = :owner and n.id = s.leads_to_id
where s.owner_id = :owner and {visible_or_masked n} and s.node_id in (
    select cast(:given as text)
    union {gone_ends_as_given} --if tail
)
order by s.went_at desc, s.node_id
limit :limit

-- name: stand_ins_lead_on
-- What led to nodes that go leads to those that stand for them, or for now to none.
update stand_ins
set leads_to_id = r.leads_to_id
from {rows node_id text, leads_to_id text}
where stand_ins.owner_id = :owner and stand_ins.leads_to_id = r.node_id

-- name: stand_ins_put
insert into stand_ins (owner_id, node_id, stand_in_id, leads_to_id, went_at)
select cast(:owner as text), r.node_id, r.stand_in_id, n.id, r.went_at
from {rows node_id text, stand_in_id text, leads_to_id text, went_at text}
join nodes n on n.owner_id = :owner and n.id = r.leads_to_id
where true
on conflict (owner_id, node_id) do update
set stand_in_id = excluded.stand_in_id, leads_to_id = excluded.leads_to_id, went_at = excluded.went_at

-- name: stand_ins_add
-- The same of an import: what is known here stays, and a node that is here needs none.
insert into stand_ins (owner_id, node_id, stand_in_id, leads_to_id, went_at)
select cast(:owner as text), r.node_id, r.stand_in_id, r.leads_to_id, r.went_at
from {rows node_id text, stand_in_id text, leads_to_id text, went_at text}
where not exists (select 1 from nodes n where n.owner_id = :owner and n.id = r.node_id)
on conflict (owner_id, node_id) do nothing

-- name: stand_ins_known
-- The ids among these that nodes have or had here, whoever sees them: whether the node is here, and what it went for.
select v.value, exists (select 1 from nodes n where n.owner_id = :owner and n.id = v.value), s.stand_in_id
from {each ids} as v
left join stand_ins s on s.owner_id = :owner and s.node_id = v.value
where s.node_id is not null
   or exists (select 1 from nodes n where n.owner_id = :owner and n.id = v.value)
   or exists (select 1 from retired r where r.owner_id = :owner and r.node_id = v.value)
   or exists (select 1 from events e where e.owner_id = :owner and e.node_id = v.value)
   or exists (select 1 from events e where e.owner_id = :owner and e.other_id = v.value)

-- name: stand_ins_ahead
-- The chains that begin at these ids: each node that went, and what it went for.
with recursive ahead (node_id, stand_in_id) as (
    select s.node_id, s.stand_in_id from stand_ins s where s.owner_id = :owner and s.node_id in {each ids}
    union
    select s.node_id, s.stand_in_id
    from ahead a
    join stand_ins s on s.owner_id = :owner and s.node_id = a.stand_in_id
)
select a.node_id, a.stand_in_id from ahead a

-- name: stand_ins_remove
delete from stand_ins
where owner_id = :owner and node_id in {each ids}

-- name: stand_ins_return
-- What went for nodes that are here again, or for others that went for them, leads to these.
with recursive behind (node_id, end_id) as (
    select s.node_id, s.stand_in_id from stand_ins s where s.owner_id = :owner and s.stand_in_id in {each ids}
    union
    select s.node_id, b.end_id
    from behind b
    join stand_ins s on s.owner_id = :owner and s.stand_in_id = b.node_id
)
update stand_ins
set leads_to_id = behind.end_id
from behind
where stand_ins.owner_id = :owner and stand_ins.node_id = behind.node_id

-- name: stand_ins_shorten
-- The ids of nodes that are erased are no part of any chain.
update stand_ins
set stand_in_id = leads_to_id
where owner_id = :owner and stand_in_id in {each ids} and leads_to_id is not null

-- name: stand_ins_erase
delete from stand_ins
where owner_id = :owner and (node_id in {each ids} or stand_in_id in {each ids} or leads_to_id in {each ids})

-- name: stand_ins_purge
-- What led to a node that was let go and can no longer be brought back.
delete from stand_ins
where owner_id = :owner and leads_to_id is null
  and not exists (
      select 1 from retired r
      where r.owner_id = :owner and r.node_id = stand_ins.stand_in_id and r.kind = 'node'
  )
  and not exists (
      select 1 from stand_ins l where l.owner_id = :owner and l.node_id = stand_ins.stand_in_id
  )

-- name: standin_export
select s.node_id, s.stand_in_id, s.leads_to_id, s.went_at
from stand_ins s
join nodes n on n.owner_id = :owner and n.id = s.leads_to_id
where s.owner_id = :owner and {visible n}
order by s.went_at, s.node_id
