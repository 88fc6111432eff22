-- Full text on SQLite: FTS5. Statements take the owner for the sake of the other dialect.

-- name: text_forget
delete from node_terms
where rowid in (select n.seq from nodes n where n.owner_id = :owner and n.id = :id)

-- name: text_index
insert into node_terms (rowid, terms)
select n.seq, :terms
from nodes n
where n.owner_id = :owner and n.id = :id

-- name: text_frequencies
select v.term, v.doc
from node_vocabulary v
where :owner is not null and v.term in {each terms}

-- name: text_totals
-- FTS5 keeps the texts of all owners in one index, and counts them all.
select count(*), 0.0
from nodes n
where :owner is not null

-- name: text_search
-- The best `reach` of the index; those that the access may not see come back without an id. FTS5 weighs a term
-- by the whole store; :ratios holds what each weighs in the part that is searched, relative to that.
select n.id, best.score
from (
    select rowid as seq, -rank as score --unless ratios
    from node_terms --unless ratios
    where node_terms match :query --unless ratios
    order by rank --unless ratios
    select t.rowid as seq, sum(-t.rank * w.value) as score --if ratios
    from json_each(:ratios) as w --if ratios
    join node_terms t on t.node_terms match '"' || w.key || '"' --if ratios
    group by t.rowid --if ratios
    order by score desc --if ratios
    limit :reach
) as best
left join nodes n on n.seq = best.seq and {visible_or_masked n} and n.kind in {each kinds}
  and {live n}
  and n.scope in {each scopes} --if scopes
  and {visible n} and {matches n} --if metadata
order by best.score desc, best.seq desc

-- name: text_missing
select count(*)
from nodes n
where n.owner_id = :owner and n.seq not in (select rowid from node_terms)

-- name: texts_naming
-- Texts that may mention a new name: they have its terms near to each other.
select n.id, n.title, n.content
from (select t.rowid as seq from node_terms t where t.node_terms match :name limit :limit) as found
cross join nodes n on n.seq = found.seq
where {visible n} and n.kind || '' in {each kinds}
