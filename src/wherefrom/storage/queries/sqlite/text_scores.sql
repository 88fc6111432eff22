-- The scores of texts on SQLite, which storage/text_scores.py computes from what FTS5 knows.

-- name: text_places
-- For each term the texts in which it stands, one for each place, with commas between them.
select w.value, (select group_concat(p.doc) from node_places p where p.term = w.value)
from json_each(:terms) as w
where :owner is not null

-- name: text_lengths
-- The lengths of texts in their order, as FTS5 keeps them.
select group_concat(hex(d.sz), '')
from json_each(:seqs) as s
cross join node_terms_docsize d on d.id = s.value
where :owner is not null

-- name: texts_of_time
-- Those of some texts that were observed in a time, with commas between them.
select group_concat(s.value)
from json_each(:seqs) as s
cross join nodes n on n.seq = s.value
where n.owner_id = :owner
  and n.observed_at >= cast(:since as text) --if since
  and n.observed_at <= cast(:until as text) --if until

-- name: text_found
-- Rows of the index in this order; those that the access may not see have no id.
select n.id, n.kind, n.page_id, {candidate n}
from (select s.key as place, s.value as seq from json_each(:seqs) as s) as best
{found_by_text best}
{with_vector n}
order by best.place
