-- Rules and formulas that several statements share.

-- || '' keeps both planners from choosing an index by namespace: it is a filter and nearly always lets most rows
-- through. A walk took 900 ms over 300,000 edges without it, 8 ms with it.
-- fragment: inside = ({0} || '' = :{1} or ({0} || '' >= :{1}_below and {0} || '' < :{1}_end))
-- Like `inside`, for tables without an index by namespace: the planner can use what it knows of the column.
-- fragment: within = ({0} = :{1} or ({0} >= :{1}_below and {0} < :{1}_end))

-- The path of a namespace after :moved was renamed to :target.
-- fragment: moved = cast(:target as text) || substr({0}, length(cast(:moved as text)) + 1)

-- fragment: move = update {0} set namespace = {moved namespace} where owner_id = :owner and {inside namespace moved}

-- fragment: readable
-- A namespace inside the root, or inside one of the further roots, which end in /.
{inside {0} root} --unless also
({inside {0} root} or exists (select 1 from {each also} as a where substr({0} || '/', 1, length(a.value)) = a.value)) --if also

-- fragment: readable_within
-- The same for tables without an index by namespace (see `within`).
{within {0} root} --unless also
({within {0} root} or exists (select 1 from {each also} as a where substr({0} || '/', 1, length(a.value)) = a.value)) --if also

-- fragment: unhidden
and not exists (select 1 from {each hidden} as h where substr({0} || ' ' || {1} || '/', 1, length(h.value)) = h.value) --if hidden

-- fragment: visible
{0}.owner_id = :owner and {readable {0}.namespace} and {among {0}.boundary_class classes}
{unhidden {0}.boundary_class {0}.namespace}

-- fragment: visible_or_masked
-- Rows that the access sees as they are, and those that it sees without personal data (`nodes.seen`).
{0}.owner_id = :owner and {readable {0}.namespace} and (
    ({among {0}.boundary_class classes} {unhidden {0}.boundary_class {0}.namespace})
    or ({among {0}.shared_class classes} {unhidden {0}.shared_class {0}.namespace})
)

-- fragment: visible_edge
{0}.owner_id = :owner and {readable {0}.source_namespace} and {readable {0}.target_namespace}
and {among {0}.boundary_class classes}
{unhidden {0}.boundary_class {0}.source_namespace} {unhidden {0}.boundary_class {0}.target_namespace}

-- fragment: visible_event
-- An event has a second namespace, as a relation has: that of its other node, or its own again.
{0}.owner_id = :owner and {readable_within {0}.namespace} and {readable_within {0}.other_namespace}
and {among {0}.boundary_class classes}
{unhidden {0}.boundary_class {0}.namespace} {unhidden {0}.boundary_class {0}.other_namespace}
{wholly_seen {0}}

-- fragment: wholly_seen
-- An event of no single node may count any of its namespace and of those below: all of them must be seen.
and ({0}.node_id is not null or {0}.namespace not in {each partly_seen}) --if hidden

-- A walk does not follow edges by which one node contradicts or replaces another.
-- fragment: walkable = {visible_edge {0}} and {0}.valid_to is null and {0}.tag not in ('contradicts', 'conflicts', 'neutral', 'refutes', 'supersedes')

-- fragment: trusted
-- The confidence of an edge where a walk follows it: that of what insight found is less by :doubt.
case
    when {0}.judge is null or {0}.judge <> 'insight' then {0}.confidence
    when {0}.confidence > :doubt then {0}.confidence - :doubt
    else 0.0
end

-- fragment: found_by_text
left join nodes n on n.seq = {0}.seq and {visible_or_masked n} and {among n.kind kinds}
  and {recallable n}
  and n.scope in {each scopes} --if scopes
  and {visible n} and {matches n} --if metadata

-- fragment: candidate
-- What a search knows of a node that it found: its vector, and what `nodes_said` says of it.
{vector e} --if model
null --unless model
, {said {0}}

-- fragment: with_vector
left join embeddings e on e.owner_id = :owner and e.node_seq = {0}.seq and e.model = :model --if model

-- fragment: said
-- Whether a node may not stand for itself (see `nodes_replaced`), who says it, its session, and when it was observed; with
-- :facts, by what it is ranked.
case when {0}.valid_to is not null or {0}.superseded_by is not null then 1 else 0 end,
{0}.speaker, {0}.shared_class, {0}.session, {0}.namespace, {0}.observed_at
, {facts {0}} --if facts

-- fragment: facts
-- The columns by which a node is ranked (`RankingFacts`).
{0}.id, {0}.kind, {0}.claim_kind, {0}.content_hash, {0}.utility, {0}.confidence, {0}.quality,
coalesce({0}.judged_at, {0}.created_at), {0}.recency_anchor, {0}.superseded_by, {0}.valid_to, {0}.page_id

-- fragment: open_class = coalesce({0}.shared_class, {0}.boundary_class)

-- fragment: live
-- A fragment with `valid_to` is no longer on its page.
({0}.expires_at is null or {0}.expires_at > cast(:now as text)) and {0}.rejected_at is null
and ({0}.valid_to is null or {0}.kind <> 'fragment')

-- fragment: recallable
-- What a question at :now can lead to: what holds then, and what led to that (see `holds`). With :as_of, which is :now
-- then, a statement without `valid_from` holds since it was observed.
-- Of what was known at a time, the versions of that time tell these things (`recall.candidates.PastReader`).
{live {0}} and ({0}.valid_from is null or {0}.valid_from <= cast(:now as text)) --unless known_at
{0}.created_at <= cast(:known_at as text) --if known_at
and ({0}.valid_from is not null or {0}.observed_at <= cast(:as_of as text)) --if as_of
and {0}.observed_at >= cast(:since as text) --if since
and {0}.observed_at <= cast(:until as text) --if until
and {holds {0}} --if holding
and {0}.written_by = cast(:written_by as text) --if written_by

-- fragment: holds = ({0}.valid_to is null or {0}.valid_to > cast(:now as text))

-- fragment: begins_later
-- True for a statement that begins after :at, when a new one begins that was observed at :observed_at and ends at :ends.
-- One that does not say since when it holds begins later only if it was observed later, too, or after that end: a new
-- statement that holds since last May takes the place of what was noted yesterday. In the same way, one that says so is
-- later than a new one that does not (:undated) and was observed before it.
case
    when {0}.valid_from is not null then
        {0}.observed_at > cast(:observed_at as text) or --if undated
        {0}.valid_from > cast(:at as text) or {0}.valid_from >= cast(:ends as text)
    else {0}.observed_at > cast(:at as text)
         and ({0}.observed_at > cast(:observed_at as text) or {0}.observed_at >= cast(:ends as text))
end

-- fragment: ended
-- What tells a statement that has ended from the one with its text that holds: '' for the latter.
case when {0}.valid_to is null or {0}.kind not in ('memo', 'claim') then '' else {0}.id end

-- fragment: turn
-- What tells a turn of a session from others with its words; three times '' without a session.
coalesce({0}.session, ''), case when {0}.session is null then '' else coalesce({0}.speaker, '') end,
case when {0}.session is null then '' else {0}.observed_at end

-- fragment: stricter
case
    when 'secret' in ({0}, {1}) then 'secret'
    when 'pii' in ({0}, {1}) then 'pii'
    when 'internal' in ({0}, {1}) then 'internal'
    else 'public'
end

-- fragment: strictest = {stricter {0}.boundary_class {1}.boundary_class}

-- fragment: each_number = (select cast(v.value as bigint) from {each {0}} as v)

-- fragment: still
-- Mostly none counts as gone, and then an index without the seq is enough to find an edge.
{0}.seq not in {each_number gone} --if gone
true --unless gone

-- fragment: thickness
-- Weight × confidence × exp(-λΔt). The last factor is 1 for evidence, for edges as new as the newest of their namespace,
-- and where a namespace has no clock. PostgreSQL refuses products that round to zero.
(case when {0}.weight < 1e-100 or {0}.confidence < 1e-100 then 0.0 else
    {0}.weight * {0}.confidence * case
        when {1}.newest is null or {0}.observed_at >= {1}.newest or {is_evidence {0}} then 1.0
        when {0}.observed_at <= {1}.vanished then 0.0
        else exp({1}.rate * ({day {0}.observed_at} - {1}.newest_day))
    end end)

-- fragment: surely_thick
-- True if an edge is more than twice the threshold and younger than a half-life: thick, without computing exp().
case
    when {0}.weight < 1e-100 or {0}.confidence < 1e-100 then 0
    when {0}.weight * {0}.confidence > 2 * {2}.threshold and {0}.observed_at > {1}.halved then 1
    else 0
end = 1

-- fragment: lower = case when {1}.threshold < {0}.threshold then {1}.threshold else {0}.threshold end

-- fragment: running_tasks
select t.id from tasks t where t.owner_id = :owner and t.status in ('created', 'exploring', 'paused')

-- fragment: judging
-- Judgements of claims by a fragment, or by the fragments of a page.
e.owner_id = :owner and e.source_kind = 'fragment' and e.target_kind = 'claim' and e.{1} = {0}.id and {0}.kind = '{2}'

-- fragment: of_live_claim = exists (select 1 from nodes c where c.owner_id = :owner and c.id = e.target_id and {live c})

-- fragment: spared
-- The first rule that exempts a node from being let go, or null.
case
    when {0}.pinned then 'pinned'
    when {0}.claim_kind = 'policy_hint' then 'policy_hint'
    when {0}.scope = 'principle' then 'principle'
    when exists (select 1 from retired x where x.owner_id = :owner and x.node_id = {0}.id and x.kind = 'restored')
        then 'restored'
    when {0}.task_id in ({running_tasks})
      or exists (select 1 from edges e where {judging {0} source_id fragment} and e.task_id in ({running_tasks}))
      or exists (select 1 from edges e where {judging {0} page_id page} and e.task_id in ({running_tasks})) then 'task'
    when exists (select 1 from edges e where {judging {0} source_id fragment} and {of_live_claim})
      or exists (select 1 from edges e where {judging {0} page_id page} and {of_live_claim}) then 'evidence'
    when {0}.kind = 'fragment' and {0}.page_id is not null then 'page'
    when not ({live {0}} and {holds {0}}) then 'ended'
end
