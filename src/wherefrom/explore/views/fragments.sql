-- The formulas of the views, each written once; docs/concepts/views.md explains them. S and R ({0} and {1}) are the
-- weights of what supports and what refutes a claim. Evidence is grouped by task and claim: an index has it in this
-- order, and a task that is asked for is all that is read.

-- fragment: rounded = round(cast({0} as numeric), 3)
-- fragment: count_of = count(*) filter (where {0} = '{1}')
-- fragment: takes_side = {0} in ('supports', 'refutes')
-- fragment: weight = sum(case when relation = '{0}' and nli_edge_confidence > 0 then nli_edge_confidence else 0.0 end)
-- fragment: side_counts
{count_of {0} supports} as support_count,
        {count_of {0} refutes} as refute_count,
        {count_of {0} neutral} as neutral_count

-- The mean of Beta(1 + S, 1 + R).
-- fragment: bayesian_confidence = round(cast((1.0 + {0}) / (2.0 + {0} + {1}) as numeric), 3)

-- fragment: uncertainty
-- Its standard deviation.
round(cast(sqrt((1.0 + {0}) * (1.0 + {1}) / (3.0 + {0} + {1})) / (2.0 + {0} + {1}) as numeric), 3)

-- fragment: controversy
-- min(S, R) / (S + R): 0 if all is on one side, 0.5 if both sides weigh the same.
round(cast(case when {0} + {1} > 0 then case when {0} < {1} then {0} else {1} end / ({0} + {1}) else 0.0 end as numeric), 3)

-- Of a rounded controversy. A side without weight makes it 0, so both sides are present.
-- fragment: is_controversial = >= 0.3
-- Looked up for the rows that are shown: joined, it would be sorted with all the others.
-- fragment: text_of = (select c.claim_text from claims c where c.id = {0})
-- Within two years of this one.
-- fragment: is_recent = {0} >= (select this_year - 2 from clock)

-- fragment: recency
-- Halves every ten years; an unknown year counts as ten years ago.
case when {0} is null then 0.5 when {0} >= this_year then 1.0 else power(cast(0.5 as double precision), (this_year - {0}) / 10.0) end

-- Of claims supported, citations by others, citations of others and recency.
-- fragment: authority = round(cast((1.0 * {0} + 0.5 * {1} + 0.2 * {2}) * (0.5 + 0.5 * {3}) as numeric), 3)
-- Both planners take a membership for a join and citations for few, and then search for one within the other. A test
-- of truth keeps it what it is: a look into a set made once.
-- fragment: is_among = (({0}) in (select {1} from {2})) is true
-- fragment: is_citation = {0}.relation = 'cites' and {0}.source_type = 'page' and {0}.target_type = 'page'

-- fragment: all_citations
    select e.source_id as citing_page_id, e.target_id as cited_page_id, e.citation_source, e.created_at
    from edges e
    where {is_citation e} and e.source_id <> e.target_id

-- Citations of pages by other pages, as the first table of a query.
-- fragment: citations = cites as materialized ({all_citations})

-- fragment: task_citations
-- The same; of a task, those between its pages.
scope as materialized (select distinct page_id from evidence where task_id = :task_id and page_id is not null), --if task_id
cites as materialized (
    {all_citations}
        and {is_among e.source_id page_id scope} and {is_among e.target_id page_id scope} --if task_id
)

-- How many pages a page cites, and how many cite it.
-- fragment: outgoing = outgoing as (select citing_page_id as page_id, count(*) as citation_count from cites group by citing_page_id)
-- fragment: incoming = incoming as (select cited_page_id as page_id, count(*) as cited_by_count from cites group by cited_page_id)

-- fragment: page_support
-- The pages of each task, with the distinct claims they support.
support as (
    select task_id, page_id, count(distinct case when relation = 'supports' then claim_id end) as claims_supported
    from evidence
    where page_id is not null
        and task_id = :task_id --if task_id
    group by task_id, page_id
)

-- fragment: supporting_page = s.task_id, s.page_id, p.url, p.title, p.domain, p.year, s.claims_supported
