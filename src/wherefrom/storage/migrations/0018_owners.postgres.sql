-- A row to lock for each owner, and one ('') for all of them; see storage/locks.py.
create table owners (
    owner_id     {key} not null,
    times_alone  bigint not null default 0,
    constraint owners_key primary key (owner_id)
);
insert into owners (owner_id) select '' union select owner_id from nodes;
