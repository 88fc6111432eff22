-- question: Which page leads to which by citations, and over how many steps?
-- columns: citing_page_id, cited_page_id, citation_source, hop_distance, created_at
-- hop_distance is the shortest, 1 to 3. citation_source and created_at are those of the citation itself, so only
-- direct ones have them. A page that leads back to itself is not listed.
with {task_citations},
two as materialized (
    select distinct c.citing_page_id, e.target_id as cited_page_id
    from cites c
    join edges e on e.source_id = c.cited_page_id and {is_citation e}
    where e.target_id not in (c.citing_page_id, c.cited_page_id)
        and {is_among e.target_id page_id scope} --if task_id
),
reached as (
    select citing_page_id, cited_page_id, citation_source, 1 as hops, created_at from cites
    union all
    select citing_page_id, cited_page_id, null, 2, null from two
    union all
    select t.citing_page_id, e.target_id, null, 3, null
    from two t
    join edges e on e.source_id = t.cited_page_id and {is_citation e}
    where e.target_id not in (t.citing_page_id, t.cited_page_id)
        and {is_among e.target_id page_id scope} --if task_id
)
select
    citing_page_id,
    cited_page_id,
    max(citation_source) as citation_source,
    min(hops) as hop_distance,
    max(created_at) as created_at
from reached
group by citing_page_id, cited_page_id
order by hop_distance, citing_page_id, cited_page_id
