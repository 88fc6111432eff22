-- The surprise of texts on PostgreSQL, computed from postings.

-- fragment: surprise_of
-- The part of a term in the surprise of a text; see storage/term_weights.py. PostgreSQL refuses an exp() that is too small.
-{0}.factor * ln(1 - case when {0}.absence * {0}.stretch > -700 then exp({0}.absence * {0}.stretch) else 0 end) * {0}.frequency * (:saturation + 1) / ({0}.frequency + :saturation)

-- name: text_surprise
-- :wanted holds for each term the logarithm of the share of texts that do not have it, and a factor.
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
        ) as w on w.term = p.term
        where p.owner_id = :owner and p.term in {each terms}
    ) as t
    group by t.seq
    order by score desc
    limit :reach
) as best
{found_by_text best}
{with_vector n}
order by best.score desc, best.seq desc
