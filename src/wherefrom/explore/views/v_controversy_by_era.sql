-- question: In which decades was how much of a task disputed, and when did that change?
-- columns: task_id, decade, controversial_claims, consensus_claims, controversial_share, avg_controversy_score,
--   shift_detected
-- A claim counts in each decade from which it has evidence for or against, judged by that evidence alone; consensus
-- are those not controversial. A shift is a share that differs by at least 0.2 from that of the decade observed before.
with weighed as (
    select
        task_id,
        year / 10 * 10 as decade,
        claim_id,
        {weight supports} as s,
        {weight refutes} as r
    from evidence
    where {takes_side relation} and year is not null
        and task_id = :task_id --if task_id
    group by task_id, year / 10 * 10, claim_id
),
scored as (
    select task_id, decade, {controversy s r} as score from weighed
),
eras as (
    select
        task_id,
        decade,
        count(*) filter (where score {is_controversial}) as controversial_claims,
        count(*) filter (where not score {is_controversial}) as consensus_claims,
        round(cast(1.0 * count(*) filter (where score {is_controversial}) / count(*) as numeric), 3) as share,
        avg(score) as avg_score
    from scored
    group by task_id, decade
),
compared as (
    select eras.*, lag(share) over (partition by task_id order by decade) as share_before from eras
)
select
    task_id,
    decade,
    controversial_claims,
    consensus_claims,
    share as controversial_share,
    {rounded avg_score} as avg_controversy_score,
    coalesce(round(cast(abs(share - share_before) as numeric), 3) >= 0.2, 1 = 0) as shift_detected
from compared
order by decade desc, task_id nulls last
