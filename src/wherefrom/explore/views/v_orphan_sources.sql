-- question: Which sources of evidence does no other page cite?
-- columns: task_id, page_id, url, title, domain, year, claims_supported, citation_count
-- citation_count are the pages that the orphan itself cites.
with {citations}, {page_support},
{outgoing}
select
    {supporting_page},
    coalesce(o.citation_count, 0) as citation_count
from support s
join pages p on p.id = s.page_id
left join outgoing o on o.page_id = s.page_id
where not {is_among s.page_id cited_page_id cites}
order by claims_supported desc, p.domain nulls last, s.page_id, s.task_id nulls last
