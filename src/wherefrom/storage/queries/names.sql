-- Names of nodes, and the mentions that come of them.

-- name: names_add
-- A name that too many nodes have names none of them, so the rest are not stored.
insert into names (owner_id, head, name, node_id)
select cast(:owner as text), r.head, r.name, r.id
from {rows id text, name text, head text}
where (
    select count(*)
    from (
        select 1 from names m where m.owner_id = :owner and m.head = r.head and m.name = r.name limit 64
    ) as same
) < 64
on conflict (owner_id, head, name, node_id) do nothing

-- name: names_any
select 1
from names m
where m.owner_id = :owner
limit 1

-- name: names_forget
delete from names
where owner_id = :owner and node_id in {each ids}

-- name: names_known
select m.name, m.node_id
from names m
join nodes n on n.owner_id = :owner and n.id = m.node_id
where m.owner_id = :owner and m.head in {each heads} and {visible n}

-- name: texts_mentioning
-- Texts that were found to mention one of some nodes.
select n.id, n.title, n.content
from edges e
join nodes n on n.owner_id = :owner and n.id = e.source_id
where {visible_edge e} and e.target_id in {each ids} and e.tag = 'mentions' and e.judge = :judge

-- Nodes of one title do not mention each other by it; an entity is what a title of its name is about.
-- fragment: told_apart = {0}.title is null or {1}.title is null or {1}.kind = 'entity' or {folded {0}.title} <> {folded {1}.title}

-- name: mentions_add
-- A node that is mentioned everywhere says nothing, so the number of its automatic mentions is limited. Citus, which looks
-- at the values of parameters later here, sees by `s.owner_id` that both are of one owner.
insert into edges (owner_id, {edge_columns})
select cast(:owner as text), s.id, t.id, 'mentions', 1.0, s.namespace, t.namespace, cast(:now as text), cast(:now as text),
       cast(:now as text), 1, 1.0, null, {strictest s t}, cast(:judge as text), s.kind, t.kind, s.page_id, s.domain,
       s.year, t.task_id, null, null
from (
    select r.source_id, r.target_id, row_number() over (partition by r.target_id order by r.source_id) as number
    from {rows source_id text, target_id text}
) as r
join nodes s on s.owner_id = :owner and s.id = r.source_id
join nodes t on t.owner_id = :owner and t.id = r.target_id
where true
  and ({told_apart s t}) and r.number + ( --if judge
    select count(*) --if judge
    from ( --if judge
        select 1 --if judge
        from edges e --if judge
        where e.owner_id = :owner and e.owner_id = s.owner_id and e.target_id = r.target_id --if judge
          and e.tag = 'mentions' and e.judge is not null --if judge
        limit 200 --if judge
    ) as already --if judge
  ) <= 200 --if judge
-- An edge that the caller states is no longer an automatic mention.
on conflict (owner_id, source_id, target_id, tag) do update
set judge = null
where excluded.judge is null and edges.judge is not null

-- name: mentions_forget_from
-- Only edges that this access may see: it could not find the others again.
delete from edges as e
where {visible_edge e} and e.source_id in {each ids} and e.tag = 'mentions' and e.judge = :judge

-- name: mentions_forget_to
delete from edges as e
where {visible_edge e} and e.target_id in {each ids} and e.tag = 'mentions' and e.judge = :judge

-- name: mentions_due_add
insert into mentions_due (owner_id, id, namespace, seen_by, number, node_ids)
values (:owner, :id, :root, :seen_by, :number, :node_ids)

-- name: mentions_due_all
select d.id, d.number
from mentions_due d
where d.owner_id = :owner and d.namespace = :root and d.seen_by = :seen_by
order by d.id

-- name: mentions_due_nodes
select d.node_ids
from mentions_due d
where d.owner_id = :owner and d.id = :id

-- name: mentions_due_done
delete from mentions_due
where owner_id = :owner and id in {each ids}

-- name: mentions_due_clear
delete from mentions_due
where owner_id = :owner and namespace = :root and seen_by = :seen_by

-- name: mentions_due_move
{move mentions_due}

-- name: names_in_texts_add
insert into names_in_texts (owner_id, name, place, node_id)
select cast(:owner as text), r.name, r.place, r.id
from {rows id text, name text, place integer}
where true
on conflict (owner_id, name, place, node_id) do nothing

-- name: names_in_texts_forget
delete from names_in_texts
where owner_id = :owner and node_id in {each ids}

-- name: names_in_texts_of
-- The names in some texts.
select m.node_id, m.name, m.place
from names_in_texts m
join nodes n on n.owner_id = :owner and n.id = m.node_id
where m.owner_id = :owner and m.node_id in {each ids} and {visible n}
