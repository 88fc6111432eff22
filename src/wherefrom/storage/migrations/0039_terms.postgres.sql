-- A text has some twenty terms. To check for each that its text is there, and to keep an index of them by text, took half
-- of the server's time in an import. Now a text lists its terms, and what deletes it deletes them in the same statement
-- (queries/postgres/text.sql).
alter table node_texts add column terms text[] not null default '{}';
update node_texts
set terms = p.terms
from (select owner_id, node_seq, array_agg(term) as terms from node_terms group by owner_id, node_seq) as p
where p.owner_id = node_texts.owner_id and p.node_seq = node_texts.node_seq;
alter table node_terms drop constraint node_terms_owner_id_node_seq_fkey;
drop index node_terms_by_node;
