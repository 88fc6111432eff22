-- question: Which groups of pages cite each other?
-- columns: cluster_id, page_ids, internal_citations, cluster_size
-- Two pages are together if each cites the other; a cluster is all that hangs together in this way. Its id is its
-- smallest page id; page_ids are the first 50 by id, joined by ', '; internal_citations are all those inside it.
with recursive {task_citations},
mutual as (
    select
        citing_page_id as page_id,
        cited_page_id as neighbour_id,
        count(*) over (partition by citing_page_id) as degree,
        count(*) over (partition by cited_page_id) as neighbour_degree
    from cites
    where ((cited_page_id || ' ' || citing_page_id) in (select citing_page_id || ' ' || cited_page_id from cites)) is true
),
-- A label spreads only to places after its own. So hubs come first, and ties are broken by the random end of an id:
-- a star or a clique has one label, a page in a chain of n pages meets about log n of them.
steps as materialized (
    select
        page_id,
        neighbour_id,
        dense_rank() over (order by degree desc, substr(page_id, 25), page_id) as place,
        dense_rank() over (order by neighbour_degree desc, substr(neighbour_id, 25), neighbour_id) as next_place
    from mutual
),
spread (label, page_id) as (
    select place, page_id
    from steps
    group by place, page_id
    having min(next_place) > place
    union
    select s.label, t.neighbour_id
    from spread s
    join steps t on t.page_id = s.page_id and t.next_place > s.label
),
members as materialized (
    select page_id, min(label) as label from spread group by page_id
),
numbered as (
    select page_id, label, row_number() over (partition by label order by page_id) as position from members
),
inside as (
    select a.label, count(*) as internal_citations
    from cites c
    join members a on a.page_id = c.citing_page_id
    join members b on b.page_id = c.cited_page_id and b.label = a.label
    group by a.label
)
select
    min(n.page_id) as cluster_id,
    string_agg(n.page_id, ', ' order by n.page_id) filter (where n.position <= 50) as page_ids,
    max(i.internal_citations) as internal_citations,
    count(*) as cluster_size
from numbered n
join inside i on i.label = n.label
group by n.label
order by cluster_size desc, cluster_id
