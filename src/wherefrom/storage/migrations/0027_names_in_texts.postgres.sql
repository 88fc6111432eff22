-- The names that stand in texts, as text/found_names.py finds them. place: 0 if the text begins with the name and has no
-- title, so that the name is what it is about; 1 if the name stands elsewhere in it.
create table names_in_texts (
    owner_id  {key} not null,
    name      {key} not null,
    place     integer not null,
    node_id   {key} not null,
    primary key (owner_id, name, place, node_id),
    foreign key (owner_id, node_id) references nodes (owner_id, id) on delete cascade
);
create index names_in_texts_of_node on names_in_texts (owner_id, node_id);
