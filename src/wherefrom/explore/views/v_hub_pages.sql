-- question: Which sources support several claims of a task?
-- columns: task_id, page_id, url, title, domain, year, claims_supported, citation_count, cited_by_count
-- A hub supports at least two claims. citation_count are the pages it cites, cited_by_count those that cite it.
with {citations}, {page_support},
{outgoing}, {incoming}
select
    {supporting_page},
    coalesce(o.citation_count, 0) as citation_count,
    coalesce(i.cited_by_count, 0) as cited_by_count
from support s
join pages p on p.id = s.page_id
left join outgoing o on o.page_id = s.page_id
left join incoming i on i.page_id = s.page_id
where s.claims_supported >= 2
order by claims_supported desc, cited_by_count desc, s.page_id, s.task_id nulls last
