-- An edge copies where its ends are. Whoever writes edges and whoever moves nodes must not overlap; the
-- lock comes first in its transaction, before the snapshot, so that the one that waited sees what the
-- other did. (LOCK takes no snapshot; an advisory lock would.)

-- name: lock_edges_shared
lock table edges in row exclusive mode

-- name: lock_edges_alone
lock table edges in share row exclusive mode

-- name: wait_briefly
-- For a lock that everybody who comes after would wait behind.
set local lock_timeout = '2s'

-- name: model_held
select m.number, m.model_id, m.dimension
from embedding_models m
where m.state = 'active'
for share

-- name: nodes_hold
-- A change of this node that began earlier sees a conflict and is run again, instead of missing its new vector.
update nodes
set version = version
where owner_id = :owner and id = :id

-- name: lock_policies
lock table policies in share row exclusive mode
