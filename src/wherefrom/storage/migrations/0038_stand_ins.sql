-- Nodes that went for another one: whoever asks for one of them is answered with the one that stands for it, also when
-- the receipt is purged.

-- stand_in_id: the node that it went for. leads_to_id: the last of that chain, which is here; null while that one is let
-- go itself and nothing stands for it.
create table stand_ins (
    owner_id     {key} not null,
    node_id      {key} not null,
    stand_in_id  {key} not null,
    leads_to_id  {key},
    went_at      {key} not null,
    constraint stand_ins_key primary key (owner_id, node_id),
    constraint stand_ins_lead_to foreign key (owner_id, leads_to_id) references nodes (owner_id, id) on delete cascade
);
create index stand_ins_by_stand_in on stand_ins (owner_id, stand_in_id);
create index stand_ins_by_end on stand_ins (owner_id, leads_to_id);
create index stand_ins_by_tail on stand_ins (owner_id, substr(node_id, length(node_id) - 5));

-- What went before and has a receipt, by the last one of each node.
insert into stand_ins (owner_id, node_id, stand_in_id, leads_to_id, went_at)
select r.owner_id, r.node_id, r.stand_in, r.stand_in, r.retired_at
from retired r
join nodes s on s.owner_id = r.owner_id and s.id = r.stand_in
where r.kind = 'node'
  and not exists (select 1 from nodes n where n.owner_id = r.owner_id and n.id = r.node_id)
  and not exists (
      select 1 from retired l where l.owner_id = r.owner_id and l.node_id = r.node_id and l.kind = 'node' and l.seq > r.seq
  );

-- The runs of upkeep that wait, which are counted anew when something of them was decided or went.
create index upkeep_runs_waiting on upkeep_runs (owner_id) where state = 'proposed';
