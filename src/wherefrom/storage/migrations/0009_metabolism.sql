-- Metabolism: runs, and receipts from which everything can be given back as it was.

-- kind: which row content is of; `restored` only remembers that a node was brought back. row_seq: its number, so that it comes back in its place. target_id: where an edge
-- leads to. stand_in: the node that a node was let go for.
create table receipts (
    seq         $seq,
    owner_id    $key not null,
    run_id      $key not null,
    kind        text not null check (kind in ('node', 'edge', 'embedding', 'feedback', 'correction', 'restored')),
    node_id     $key not null,
    target_id   $key,
    stand_in    $key,
    namespace   $key not null,
    row_seq     bigint,
    content     text not null,
    reason      text not null,
    retired_at  $key not null,
    $identity (owner_id, seq)
);
insert into receipts (owner_id, run_id, kind, node_id, namespace, content, reason, retired_at)
select owner_id, run_id, kind, node_id, namespace, content, reason, retired_at from retired order by seq;
drop table retired;
-- Until now edges went with one of their ends.
update receipts set reason = replace(reason, '{"rule"', '{"end": true, "rule"') where kind = 'edge';
alter table receipts rename to retired;
create index retired_by_node on retired (owner_id, node_id);
create index retired_by_target on retired (owner_id, target_id) where target_id is not null;
create index retired_by_stand_in on retired (owner_id, stand_in) where stand_in is not null;
create index retired_by_run on retired (owner_id, run_id, seq);
create index retired_in_time on retired (owner_id, retired_at);
create index nodes_represented on nodes (owner_id, superseded_by) where superseded_by is not null;

-- asked: the settings that the caller gave. moment, newest: the times that it measures by, also when it goes on later.
create table metabolism_runs (
    owner_id      $key not null,
    id            $key not null,
    namespace     $key not null,
    state         text not null check (state in ('running', 'applied', 'stopped')),
    asked         text not null,
    moment        $key not null,
    newest        text not null,
    started_at    $key not null,
    leased_until  $key not null,
    finished_at   $key,
    counts        text not null,
    primary key (owner_id, id)
);
create index metabolism_runs_going on metabolism_runs (owner_id) where state = 'running';
