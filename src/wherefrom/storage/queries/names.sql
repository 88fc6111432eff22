-- Names of nodes, and the mentions that come of them.

-- name: names_add
-- A name that so many nodes have names none of them: the rest are not kept.
insert into names (owner_id, head, name, node_id)
select cast(:owner as text), cast(:head as text), cast(:name as text), cast(:id as text)
where (
    select count(*)
    from (
        select 1 from names m where m.owner_id = :owner and m.head = :head and m.name = :name limit 64
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
where owner_id = :owner and node_id = :id

-- name: names_known
select m.name, m.node_id
from names m
join nodes n on n.owner_id = m.owner_id and n.id = m.node_id
where m.owner_id = :owner and m.head in {each heads} and {visible n}

-- name: texts_mentioning
-- Texts that were found to mention a node.
select n.id, n.title, n.content
from edges e
join nodes n on n.owner_id = e.owner_id and n.id = e.source_id
where {visible_edge e} and e.target_id = :id and e.tag = 'mentions' and e.judge = :judge

-- name: mention_add
-- What is mentioned everywhere says nothing: a node has at most so many automatic mentions.
insert into edges (owner_id, {edge_columns})
select s.owner_id, s.id, t.id, 'mentions', cast(:weight as double precision), s.namespace, t.namespace,
       cast(:now as text), cast(:now as text), cast(:now as text), 1, 1.0, cast(:reason as text), {strictest s t},
       cast(:judge as text), s.kind, t.kind, s.page_id, s.domain, s.year, t.task_id
from nodes s
join nodes t on t.owner_id = s.owner_id and t.id = :target_id
where s.owner_id = :owner and s.id = :source_id and (cast(:judge as text) is null or (
    select count(*)
    from (
        select 1
        from edges e
        where e.owner_id = :owner and e.target_id = :target_id and e.tag = 'mentions' and e.judge is not null
        limit 200
    ) as already
) < 200)
-- What the caller says is no longer a guess.
on conflict (owner_id, source_id, target_id, tag) do update
set judge = null
where excluded.judge is null and edges.judge is not null

-- name: mentions_forget_from
-- Only what this access may see: it could not find the others again.
delete from edges as e
where {visible_edge e} and e.source_id = :id and e.tag = 'mentions' and e.judge = :judge

-- name: mentions_forget_to
delete from edges as e
where {visible_edge e} and e.target_id = :id and e.tag = 'mentions' and e.judge = :judge
