-- What a service needs: jobs that one process at a time does, and where the events of an owner begin.

-- holder: who does it now, until its lease runs out. last_result, last_error: what came of the last time.
create table jobs (
    name          {key} not null,
    holder        {key},
    leased_until  {key},
    last_started  {key},
    last_ended    {key},
    last_result   text,
    last_error    text,
    constraint jobs_key primary key (name)
);

-- The last event of an owner that was deleted because it was old. Whoever has read less has missed some.
create table event_floors (
    owner_id    {key} not null,
    written_in  bigint not null,
    seq         bigint not null,
    constraint event_floors_key primary key (owner_id)
);

-- The transaction that wrote an event. Numbers of events become visible out of order, because a later one may be
-- committed first; below the oldest transaction that is under way, all that will ever be there is there.
alter table events add column written_in bigint not null default 0;
alter table events alter column written_in set default cast(cast(pg_current_xact_id() as text) as bigint);
create index events_as_written on events (written_in, seq);
