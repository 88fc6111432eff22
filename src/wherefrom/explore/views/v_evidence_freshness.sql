-- question: How fresh is the evidence for and against each claim?
-- columns: task_id, claim_id, claim_text, avg_evidence_age, newest_evidence_year, dated_evidence_count,
--   has_recent_support, has_recent_refutation
-- Evidence of known year that supports or refutes; the age is in years, 0 for a year to come. Recent is this year and
-- the two before it.
with dated as (
    select
        e.task_id,
        e.claim_id,
        e.relation,
        e.year,
        case when e.year < clock.this_year then clock.this_year - e.year else 0 end as age,
        {is_recent e.year} as recent
    from evidence e
    cross join clock
    where {takes_side e.relation} and e.year is not null
        and e.task_id = :task_id --if task_id
),
aged as (
    select
        task_id,
        claim_id,
        avg(age) as avg_evidence_age,
        max(year) as newest_evidence_year,
        count(*) as dated_evidence_count,
        count(*) filter (where relation = 'supports' and recent) > 0 as has_recent_support,
        count(*) filter (where relation = 'refutes' and recent) > 0 as has_recent_refutation
    from dated
    group by task_id, claim_id
)
select
    a.task_id,
    a.claim_id,
    {text_of a.claim_id} as claim_text,
    {rounded a.avg_evidence_age} as avg_evidence_age,
    a.newest_evidence_year,
    a.dated_evidence_count,
    a.has_recent_support,
    a.has_recent_refutation
from aged a
order by avg_evidence_age, a.claim_id
