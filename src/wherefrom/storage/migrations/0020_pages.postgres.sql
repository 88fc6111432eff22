-- A page takes its fragments with it by a foreign key: a trigger would run on one server only of several.
drop trigger pages_take_fragments on nodes;
drop function pages_take_fragments();
update nodes set page_id = null
where page_id is not null and not exists (
    select 1 from nodes p where p.owner_id = nodes.owner_id and p.id = nodes.page_id
);
alter table nodes add constraint nodes_of_page_key
    foreign key (owner_id, page_id) references nodes (owner_id, id) on delete cascade;
