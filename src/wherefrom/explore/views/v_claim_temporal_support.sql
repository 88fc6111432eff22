-- question: From which years does the support of a claim come, and does it hold through them?
-- columns: task_id, claim_id, claim_text, earliest_year, latest_year, year_span, years_observed, support_count,
--   temporal_consistency
-- Only evidence of known year counts. Years are those of support. temporal_consistency is the share of the years with
-- evidence for or against in which the weight of support is greater than that of refutation.
with yearly as (
    select
        task_id,
        claim_id,
        year,
        {count_of relation supports} as support_count,
        {weight supports} as s,
        {weight refutes} as r
    from evidence
    where {takes_side relation} and year is not null
        and task_id = :task_id --if task_id
    group by task_id, claim_id, year
),
spans as (
    select
        task_id,
        claim_id,
        min(case when support_count > 0 then year end) as earliest_year,
        max(case when support_count > 0 then year end) as latest_year,
        count(*) filter (where support_count > 0) as years_observed,
        sum(support_count) as support_count,
        1.0 * count(*) filter (where s > r) / count(*) as temporal_consistency
    from yearly
    group by task_id, claim_id
    having sum(support_count) > 0
)
select
    n.task_id,
    n.claim_id,
    {text_of n.claim_id} as claim_text,
    n.earliest_year,
    n.latest_year,
    n.latest_year - n.earliest_year as year_span,
    n.years_observed,
    cast(n.support_count as integer) as support_count,
    {rounded n.temporal_consistency} as temporal_consistency
from spans n
order by latest_year desc, year_span desc, n.claim_id
