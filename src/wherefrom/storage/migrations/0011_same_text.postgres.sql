-- The same text is kept once in each boundary class: whoever does not see one of them saves it as if it were not there.
drop index nodes_same_text;
create unique index nodes_same_text on nodes
    (owner_id, namespace, kind, content_hash, coalesce(task_id, ''), coalesce(page_id, ''), coalesce(position, -1),
     boundary_class);
