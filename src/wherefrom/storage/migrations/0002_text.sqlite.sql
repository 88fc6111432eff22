-- Full text: FTS5 over the terms that text/tokens.py makes; the text itself stays in nodes.
create virtual table node_terms using fts5 (
    terms,
    content = '',
    contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Co M*'"
);
create virtual table node_vocabulary using fts5vocab (node_terms, 'row');

create trigger nodes_leave_terms after delete on nodes
begin
    delete from node_terms where rowid = old.seq;
end;
