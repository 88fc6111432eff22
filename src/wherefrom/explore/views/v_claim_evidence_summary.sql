-- question: How much evidence does each claim have, and on which side?
-- columns: task_id, claim_id, claim_text, support_count, refute_count, neutral_count, evidence_count,
--   support_weight, refute_weight, max_nli_edge_confidence, avg_nli_edge_confidence,
--   independent_sources, independent_domains, bayesian_confidence, uncertainty, controversy, is_controversial
-- Independent sources are the distinct pages (the fragment, where the page is unknown) that support or refute.
-- Claims with their evidence in one group, so that who asks for one claim pays for one.
with judged as (
    select
        c.task_id,
        c.id as claim_id,
        {side_counts e.relation},
        count(e.edge_id) as evidence_count,
        {weight supports} as s,
        {weight refutes} as r,
        max(e.nli_edge_confidence) as max_nli_edge_confidence,
        avg(e.nli_edge_confidence) as avg_nli_edge_confidence,
        count(distinct case when e.relation <> 'neutral' then coalesce(e.page_id, e.fragment_id) end)
            as independent_sources,
        count(distinct case when e.relation <> 'neutral' then e.domain end) as independent_domains
    from claims c
    left join evidence e on e.claim_id = c.id
    where c.rejected_at is null
        and c.task_id = :task_id --if task_id
    group by c.id, c.task_id
)
select
    task_id,
    claim_id,
    {text_of judged.claim_id} as claim_text,
    support_count,
    refute_count,
    neutral_count,
    evidence_count,
    {rounded s} as support_weight,
    {rounded r} as refute_weight,
    {rounded max_nli_edge_confidence} as max_nli_edge_confidence,
    {rounded avg_nli_edge_confidence} as avg_nli_edge_confidence,
    independent_sources,
    independent_domains,
    {bayesian_confidence s r} as bayesian_confidence,
    {uncertainty s r} as uncertainty,
    {controversy s r} as controversy,
    {controversy s r} {is_controversial} as is_controversial
from judged
order by evidence_count desc, refute_count desc, claim_id
