-- The scores of texts on PostgreSQL, computed from postings.

-- fragment: surprise_of
-- The part of a term in the surprise of a text; see storage/term_weights.py. PostgreSQL refuses an exp() that is too small.
-{0}.factor * ln(1 - case when {0}.absence * {0}.stretch > -700 then exp({0}.absence * {0}.stretch) else 0 end) * {0}.frequency * (:saturation + 1) / ({0}.frequency + :saturation)

-- name: text_surprise
-- :wanted holds for each term the logarithm of the share of texts that do not have it, and a factor. `offset 0`: these
-- are read from JSON once for each term, and not where they are used, for each text.
select n.id, best.score, n.kind, n.page_id, {candidate n}
from (
    select t.seq, sum({surprise_of t}) as score
    from (
        select p.node_seq as seq, p.frequency, w.absence, w.factor, power(p.length / :average, :length_power) as stretch
        from node_terms p
        join (
            select key as term,
                   cast(value ->> 0 as double precision) as absence, cast(value ->> 1 as double precision) as factor
            from jsonb_each(cast(:wanted as jsonb))
            offset 0
        ) as w on w.term = p.term
        where p.owner_id = :owner and p.term in {each terms}
        offset 0
    ) as t
    group by t.seq
    order by score desc, seq desc
    limit :reach
) as best
{found_by_text best}
{with_vector n}
order by best.score desc, best.seq desc

-- fragment: by_weighed_terms
-- The texts with one of the terms, best first; :weights holds what each term counts, read from JSON once (`offset 0`).
from node_terms t
join (
    select key as term, cast(value as double precision) as weight
    from jsonb_each_text(cast(:weights as jsonb))
    offset 0
) as q on q.term = t.term
where t.owner_id = :owner and t.term in {each terms}
group by t.node_seq
order by score desc, seq desc
limit :reach

-- name: text_search
-- k1 = 1.2 and b = 0.75; a term counts by its inverse document frequency.
select n.id, best.score, n.kind, n.page_id, {candidate n}
from (
    select t.node_seq as seq,
           sum(q.weight * t.frequency * 2.2 / (t.frequency + 1.2 * (0.25 + 0.75 * t.length / :average))) as score
    {by_weighed_terms}
) as best
{found_by_text best}
{with_vector n}
order by best.score desc, best.seq desc

-- name: text_share
-- The share of the terms that a text has, each by what it counts.
select n.id, best.score, n.kind, n.page_id, {candidate n}
from (
    select t.node_seq as seq, sum(q.weight) as score
    {by_weighed_terms}
) as best
{found_by_text best}
{with_vector n}
order by best.score desc, best.seq desc
