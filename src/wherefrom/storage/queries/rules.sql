-- Standing rules: claims that come with every activation (model/rules.py).

-- fragment: is_rule
{0}.kind || '' = 'claim' and (
    {0}.claim_kind = 'policy_hint' or ({0}.claim_kind = 'preference' and ({0}.pinned or {0}.scope = 'principle'))
)

-- name: rules
-- The rules of these namespaces, the most wanted first, each after the number of all. A rule that was replaced holds
-- until then, for a question of that time.
select count(*) over (), {node n}
from nodes n
where {visible_or_masked n} and n.namespace in {each places} and n.confirmed_at is not null
  and {is_rule n} and {recallable n}
  and (n.superseded_by is null or n.valid_to > cast(:now as text)) --unless known_at
order by n.pinned desc, n.utility desc, n.recency_anchor desc, n.seq desc
limit :limit

-- name: rules_unconfirmed
-- The claims of these namespaces that nobody has confirmed as rules, newest first, each after the number of all.
-- Claims of a research task are about its question.
select count(*) over (), {node n}
from nodes n
where {visible_or_masked n} and n.namespace in {each places} and n.confirmed_at is null and n.task_id is null
  and {is_rule n} and {recallable n} and n.superseded_by is null
order by n.seq desc
limit :limit
