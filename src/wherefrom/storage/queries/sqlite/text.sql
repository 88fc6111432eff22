-- Full text on SQLite: FTS5. Statements take :owner only because PostgreSQL's do.

-- fragment: byte
-- The byte after the first {1} bytes of a blob.
(16 * instr('123456789ABCDEF', substr(hex({0}), 2 * {1} + 1, 1)) + instr('123456789ABCDEF', substr(hex({0}), 2 * {1} + 2, 1)))

-- name: text_forget
delete from node_terms
where :owner is not null and rowid in {each_number seqs}

-- name: text_index
insert into node_terms (rowid, terms)
select r.seq, r.terms
from {rows seq bigint, terms text}
where :owner is not null

-- name: text_frequencies
select v.term, v.doc
from node_vocabulary v
where :owner is not null and v.term in {each terms}

-- name: text_totals
-- FTS5 keeps the texts of all owners in one index. Their number and that of their terms are the first two numbers in the
-- row 1 of its data, each in the seven low bits of as many bytes as have the high bit set, and of the next.
with recursive totals (place, texts, terms, number) as (
    select 0, 0, 0, 0
    union all
    select t.place + 1,
           iif(t.number = 0, t.texts * 128 + {byte d.block t.place} % 128, t.texts),
           iif(t.number = 1, t.terms * 128 + {byte d.block t.place} % 128, t.terms),
           t.number + ({byte d.block t.place} < 128)
    from totals t
    join node_terms_data d on d.id = 1 and t.place < length(d.block)
)
select t.texts, 1.0 * t.terms / max(t.texts, 1)
from totals t
where :owner is not null
order by t.place desc
limit 1

-- name: text_missing
select count(*)
from nodes n
where n.owner_id = :owner and n.seq not in (select rowid from node_terms)

-- name: texts_naming
-- Texts that may mention a new name, because they have its terms near to each other.
select r.name, n.id, n.title, n.content
from {rows name text}
cross join (select t.rowid as seq from node_terms t where t.node_terms match :name limit :limit) as found
cross join nodes n on n.seq = found.seq
where {visible n} and n.kind || '' in {each kinds}

-- name: texts_of_terms
-- The texts that have each of some rare terms.
select f.value, n.id
from {each terms} as f
cross join node_terms t on t.node_terms match '"' || f.value || '"'
cross join nodes n on n.seq = t.rowid
where {visible n}
