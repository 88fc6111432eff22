-- Full text on PostgreSQL: BM25 over postings, with the formula and constants of FTS5.

-- No foreign key deletes the terms of a text (migration 0039): both statements that delete texts do.
-- name: text_forget
with forgotten as (
    delete from node_texts
    where owner_id = :owner and node_seq in {each_number seqs}
    returning node_seq, terms
)
delete from node_terms p
using (select f.node_seq, unnest(f.terms) as term from forgotten f) as g
where p.owner_id = :owner and p.term = g.term and p.node_seq = g.node_seq

-- name: nodes_delete
-- With a page its fragments go.
with gone as (
    select n.seq from nodes n where n.owner_id = :owner and n.id in {each ids}
    union
    select f.seq from nodes f where f.owner_id = :owner and f.page_id in {each ids}
), terms as (
    delete from node_terms p
    using (
        select t.node_seq, unnest(t.terms) as term
        from node_texts t
        where t.owner_id = :owner and t.node_seq in (select g.seq from gone g)
    ) as g
    where p.owner_id = :owner and p.term = g.term and p.node_seq = g.node_seq
)
delete from nodes
where owner_id = :owner and id in {each ids}

-- name: text_index
-- Inserting in the order of the index is faster than in that of the texts. The rows are read twice: Citus would copy rows
-- that both parts share to every server, so that each save would need all of them.
with texts as (
    insert into node_texts (owner_id, node_seq, length, terms)
    select cast(:owner as text), r.seq, r.length, array(select json_object_keys(r.terms))
    from {rows seq bigint, length integer, terms json}
)
insert into node_terms (owner_id, term, node_seq, frequency, length)
select cast(:owner as text), t.key, r.seq, cast(t.value as integer), r.length
from {rows seq bigint, length integer, terms json}
cross join json_each_text(r.terms) as t
order by t.key collate "C", r.seq

-- name: text_frequencies
-- Counted up to a bound: beyond it the exact number does not matter. `offset 0`: once, and not again for the condition.
select counted.term, counted.texts
from (
    select q.term, (
        select count(*)
        from (
            select 1 from node_terms t where t.owner_id = :owner and t.term = q.term limit 50000
        ) as found
    ) as texts
    from (select jsonb_array_elements_text(cast(:terms as jsonb)) as term) as q
    offset 0
) as counted
where counted.texts > 0

-- name: text_totals
select count(*), coalesce(avg(t.length), 0)
from node_texts t
where t.owner_id = :owner

-- name: text_outside
-- A row if there is a node of this owner that the access does not see; the index of another owner is another one.
select 1
from nodes n
where n.owner_id = :owner and not ({visible n})
limit 1

-- name: text_missing
select count(*)
from nodes n
where n.owner_id = :owner
  and not exists (select 1 from node_texts t where t.owner_id = :owner and t.node_seq = n.seq)

-- name: texts_naming
-- Texts that may mention a new name, because they have all its terms. Only those with its rarest term are looked at, and
-- then for the others from the rarest on: of 3,000 memos "Case 1000", "Case 1001" … each name would have been compared with
-- all texts that say "case". `offset 0`: a term is counted once, and not for each name that has it.
select w.name, n.id, n.title, n.content
from (
    select p.name, array_agg(p.term order by counted.number, p.place) as terms
    from (
        select r.name, e.term, e.place
        from {rows name text}
        cross join lateral jsonb_array_elements_text(cast(r.name as jsonb)) with ordinality as e(term, place)
    ) as p
    join (
        select q.term, (
            select count(*)
            from (select 1 from node_terms c where c.owner_id = :owner and c.term = q.term limit 1000) as few
        ) as number
        from (
            select distinct e.term
            from {rows name text}
            cross join lateral jsonb_array_elements_text(cast(r.name as jsonb)) as e(term)
        ) as q
        offset 0
    ) as counted on counted.term = p.term
    group by p.name
) as w
cross join lateral (
    select t.node_seq
    from node_terms t
    where t.owner_id = :owner and t.term = w.terms[1]
      and not exists (
        select 1
        from unnest(w.terms[2:]) as o(term)
        where not exists (
            select 1 from node_terms x where x.owner_id = :owner and x.term = o.term and x.node_seq = t.node_seq
        )
    )
    limit :limit
) as found
join nodes n on n.owner_id = :owner and n.seq = found.node_seq
where {visible n} and n.kind || '' in {each kinds}

-- name: texts_of_terms
-- The texts that have each of some rare terms.
select t.term, n.id
from node_terms t
join nodes n on n.owner_id = :owner and n.seq = t.node_seq
where t.owner_id = :owner and t.term in {each terms} and {visible n}
