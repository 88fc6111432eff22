-- question: How is the evidence of a task spread over the years?
-- columns: task_id, year, fragment_count, claim_count, page_count, support_count, refute_count, neutral_count,
--   avg_confidence
-- The year is that of the page, null if unknown. avg_confidence is the mean over all judgements of the year.
select
    task_id,
    year,
    count(distinct fragment_id) as fragment_count,
    count(distinct claim_id) as claim_count,
    count(distinct page_id) as page_count,
    {side_counts relation},
    round(cast(avg(nli_edge_confidence) as numeric), 3) as avg_confidence
from evidence
where task_id = :task_id --if task_id
group by task_id, year
order by year desc nulls last, task_id nulls last
