-- question: Which sources carry most weight by support, citations and recency?
-- columns: task_id, page_id, url, title, domain, year, authority_score, claims_supported, citation_count,
--   cited_by_count, recency
-- authority_score = (claims_supported + 0.5 cited_by_count + 0.2 citation_count) (0.5 + 0.5 recency).
-- recency halves every ten years from this year on; a page of unknown year has 0.5.
with {citations}, {page_support},
{outgoing}, {incoming},
known as materialized (
    select
        p.id as page_id,
        p.url,
        p.title,
        p.domain,
        p.year,
        coalesce(o.citation_count, 0) as citation_count,
        coalesce(i.cited_by_count, 0) as cited_by_count,
        {recency p.year} as recency
    from pages p
    cross join clock
    left join outgoing o on o.page_id = p.id
    left join incoming i on i.page_id = p.id
    where {is_among p.id page_id support} --if task_id
)
select
    s.task_id,
    s.page_id,
    k.url,
    k.title,
    k.domain,
    k.year,
    {authority s.claims_supported k.cited_by_count k.citation_count k.recency} as authority_score,
    s.claims_supported,
    k.citation_count,
    k.cited_by_count,
    {rounded k.recency} as recency
from support s
join known k on k.page_id = s.page_id
order by authority_score desc, s.page_id, s.task_id nulls last
