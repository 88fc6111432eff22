-- question: Which claims gained support lately?
-- columns: task_id, claim_id, claim_text, support_trend, years_observed, recent_support_count, older_support_count,
--   recent_refute_count, older_refute_count
-- Recent is this year and the two before it; an unknown year counts as older. support_trend is recent minus older
-- support, and only claims where it is positive are listed. years_observed are the distinct years of support.
with dated as (
    select task_id, claim_id, relation, year, coalesce({is_recent year}, 1 = 0) as recent
    from evidence
    where {takes_side relation}
        and task_id = :task_id --if task_id
),
counted as (
    select
        task_id,
        claim_id,
        count(distinct case when relation = 'supports' then year end) as years_observed,
        count(*) filter (where relation = 'supports' and recent) as recent_support_count,
        count(*) filter (where relation = 'supports' and not recent) as older_support_count,
        count(*) filter (where relation = 'refutes' and recent) as recent_refute_count,
        count(*) filter (where relation = 'refutes' and not recent) as older_refute_count
    from dated
    group by task_id, claim_id
)
select
    n.task_id,
    n.claim_id,
    {text_of n.claim_id} as claim_text,
    n.recent_support_count - n.older_support_count as support_trend,
    n.years_observed,
    n.recent_support_count,
    n.older_support_count,
    n.recent_refute_count,
    n.older_refute_count
from counted n
where n.recent_support_count > n.older_support_count
order by support_trend desc, recent_support_count desc, n.claim_id
