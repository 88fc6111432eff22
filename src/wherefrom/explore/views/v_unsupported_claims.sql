-- question: Which claims does nothing support yet?
-- columns: task_id, claim_id, claim_text, evidence_count, refute_count, neutral_count, uncertainty
-- Evidence that refutes or is neutral does not support: such claims are listed, those without any evidence first.
with judged as (
    select
        c.task_id,
        c.id as claim_id,
        {count_of e.relation refutes} as refute_count,
        {count_of e.relation neutral} as neutral_count,
        count(e.edge_id) as evidence_count,
        {weight refutes} as r
    from claims c
    left join evidence e on e.claim_id = c.id
    where c.rejected_at is null
        and c.task_id = :task_id --if task_id
    group by c.id, c.task_id
    having {count_of e.relation supports} = 0
)
select
    task_id,
    claim_id,
    {text_of judged.claim_id} as claim_text,
    evidence_count,
    refute_count,
    neutral_count,
    {uncertainty 0.0 r} as uncertainty
from judged
order by uncertainty desc, evidence_count, claim_id
