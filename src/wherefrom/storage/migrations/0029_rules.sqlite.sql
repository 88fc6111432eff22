-- Standing rules: claims that come with every activation, if this memory was told them and they were not imported.

-- confirmed_at: when a save, or a confirmation, made it one.
alter table nodes add column confirmed_at {key};
create index nodes_confirmed on nodes (owner_id, namespace) where confirmed_at is not null;

-- What was saved here without a source, and was not changed by an import since: the event of a save has the time of the
-- change.
update nodes
set confirmed_at = updated_at
where kind = 'claim' and task_id is null
  and (claim_kind = 'policy_hint' or (claim_kind = 'preference' and (pinned or scope = 'principle')))
  and provenance = '{}' and metadata = '{}'
  and exists (
    select 1 from events e
    where e.owner_id = nodes.owner_id and e.node_id = nodes.id and e.topic = 'ingest' and e.at = nodes.updated_at
      and {text_in e.payload rule} is null
);

insert into sqlite_stat1 (tbl, idx, stat) values ('nodes', 'nodes_confirmed', '1000 500 10');

-- Read them at once: this connection goes on being used.
analyze sqlite_schema;
