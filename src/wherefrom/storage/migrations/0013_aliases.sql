-- Other titles that a node was saved under, as a JSON array of texts: it is found and mentioned by them, too.
alter table nodes add column aliases text not null default '[]';
