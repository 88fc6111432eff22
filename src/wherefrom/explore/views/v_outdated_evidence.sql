-- question: Which claims rest on old evidence only?
-- columns: task_id, claim_id, claim_text, newest_evidence_year, years_since_update, support_count, newest_refutation_year
-- Old is more than two years ago. Years are those of support; claims whose support is all of unknown year are left
-- out. support_count is all support, of unknown year too.
with newest as (
    select
        task_id,
        claim_id,
        max(case when relation = 'supports' then year end) as newest_evidence_year,
        max(case when relation = 'refutes' then year end) as newest_refutation_year,
        {count_of relation supports} as support_count
    from evidence
    where {takes_side relation}
        and task_id = :task_id --if task_id
    group by task_id, claim_id
)
select
    n.task_id,
    n.claim_id,
    {text_of n.claim_id} as claim_text,
    n.newest_evidence_year,
    clock.this_year - n.newest_evidence_year as years_since_update,
    n.support_count,
    n.newest_refutation_year
from newest n
cross join clock
where not {is_recent n.newest_evidence_year}
order by years_since_update desc, n.claim_id
