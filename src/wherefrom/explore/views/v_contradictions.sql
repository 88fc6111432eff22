-- question: Which claims have evidence both for and against them?
-- columns: task_id, claim_id, claim_text, support_count, refute_count, neutral_count, evidence_count,
--   supporting_fragments, refuting_fragments, controversy_score
-- The fragments are ids joined by ', ', at most 20 a side, the surest first.
with contradicted as (
    select
        task_id,
        claim_id,
        {side_counts relation},
        count(*) as evidence_count,
        {weight supports} as s,
        {weight refutes} as r
    from evidence
    where task_id = :task_id --if task_id
    group by task_id, claim_id
    having {count_of relation supports} > 0 and {count_of relation refutes} > 0
),
placed as (
    select
        claim_id,
        relation,
        fragment_id,
        row_number() over (
            partition by claim_id, relation order by nli_edge_confidence desc nulls last, fragment_id
        ) as place
    from evidence
    where {takes_side relation} and claim_id in (select claim_id from contradicted)
        and task_id = :task_id --if task_id
),
named as (
    select
        claim_id,
        string_agg(fragment_id, ', ' order by place) filter (where relation = 'supports') as supporting_fragments,
        string_agg(fragment_id, ', ' order by place) filter (where relation = 'refutes') as refuting_fragments
    from placed
    where place <= 20
    group by claim_id
)
select
    d.task_id,
    d.claim_id,
    {text_of d.claim_id} as claim_text,
    d.support_count,
    d.refute_count,
    d.neutral_count,
    d.evidence_count,
    n.supporting_fragments,
    n.refuting_fragments,
    {controversy d.s d.r} as controversy_score
from contradicted d
join named n on n.claim_id = d.claim_id
order by controversy_score desc, evidence_count desc, d.claim_id
