-- question: How does a fragment bear on a claim, directly or through claims derived from others?
-- columns: task_id, source_fragment_id, intermediate_claim_id, derived_claim_id, chain_confidence, claim_hops,
--   relations, claim_ids, edge_id, relation, nli_edge_confidence, page_id, domain, year, claim_text
-- A chain is fragment, claim, then up to three further claims, each inferred from the one before; no claim comes twice.
-- The intermediate claim is the one that the fragment is about, the derived claim the last one; a chain without a
-- step between claims has none. Steps support, refute or derive; neutral ones lead nowhere. The confidence is the
-- product of those of all steps. The task is that of the intermediate claim, the text that of the last claim.
-- All links are few enough to be made once; of a task, the few that are needed are looked up.
with links as materialized ( --unless task_id
with links as not materialized ( --if task_id
    select e.source_id as premise_id, e.target_id as conclusion_id, e.relation, e.confidence
    from edges e
    join claims c on c.id = e.target_id and c.rejected_at is null
    where e.source_type = 'claim' and e.target_type = 'claim' and e.relation in ('supports', 'refutes', 'derives')
        and e.source_id <> e.target_id
),
one as materialized ( --unless task_id
one as not materialized ( --if task_id
    select
        l.premise_id as first_id,
        l.conclusion_id as last_id,
        l.confidence,
        l.relation as relations,
        l.premise_id || ', ' || l.conclusion_id as claim_ids
    from links l
    join claims c on c.id = l.premise_id and c.rejected_at is null
        and c.task_id = :task_id --if task_id
),
two as materialized ( --unless task_id
two as not materialized ( --if task_id
    select
        o.first_id,
        o.last_id as second_id,
        l.conclusion_id as last_id,
        o.confidence * l.confidence as confidence,
        o.relations || ', ' || l.relation as relations,
        o.claim_ids || ', ' || l.conclusion_id as claim_ids
    from one o
    join links l on l.premise_id = o.last_id and l.conclusion_id <> o.first_id
),
three as (
    select
        t.first_id,
        l.conclusion_id as last_id,
        t.confidence * l.confidence as confidence,
        t.relations || ', ' || l.relation as relations,
        t.claim_ids || ', ' || l.conclusion_id as claim_ids
    from two t
    join links l on l.premise_id = t.last_id and l.conclusion_id not in (t.first_id, t.second_id)
),
inferred as (
    select first_id, last_id, 1 as claim_hops, confidence, relations, claim_ids from one
    union all
    select first_id, last_id, 2, confidence, relations, claim_ids from two
    union all
    select first_id, last_id, 3, confidence, relations, claim_ids from three
),
chains as (
    select
        task_id,
        fragment_id,
        claim_id as first_id,
        null as derived_claim_id,
        claim_id as last_id,
        nli_edge_confidence as confidence,
        0 as claim_hops,
        relation as relations,
        claim_id as claim_ids,
        edge_id,
        relation,
        nli_edge_confidence,
        page_id,
        domain,
        year
    from evidence
    where {takes_side relation}
        and task_id = :task_id --if task_id
    union all
    select
        v.task_id,
        v.fragment_id,
        i.first_id,
        i.last_id,
        i.last_id,
        v.nli_edge_confidence * i.confidence,
        i.claim_hops,
        v.relation || ', ' || i.relations,
        i.claim_ids,
        v.edge_id,
        v.relation,
        v.nli_edge_confidence,
        v.page_id,
        v.domain,
        v.year
    from inferred i
    join evidence v on v.claim_id = i.first_id and {takes_side v.relation}
        and v.task_id = :task_id --if task_id
)
select
    h.task_id,
    h.fragment_id as source_fragment_id,
    h.first_id as intermediate_claim_id,
    h.derived_claim_id,
    {rounded h.confidence} as chain_confidence,
    h.claim_hops,
    h.relations,
    h.claim_ids,
    h.edge_id,
    h.relation,
    h.nli_edge_confidence,
    h.page_id,
    h.domain,
    h.year,
    {text_of h.last_id} as claim_text
from chains h
order by chain_confidence desc nulls last, h.claim_hops, h.edge_id, h.claim_ids
