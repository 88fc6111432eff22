-- fragment: table = main.{0}

-- fragment: joins
-- A subquery instead: SQLite makes a join whose columns nobody uses, too, if rows are counted.

-- fragment: claim = (select c.{0} from main.nodes c where c.owner_id = e.owner_id and c.id = e.target_id)
-- fragment: field = json_extract({0}.metadata, '$.{1}')
-- fragment: number = {field {0} {1}}
-- fragment: json = {field {0} {1}}
-- fragment: whole = {0}.{1}
-- fragment: now = asked_at()
-- fragment: year = cast(substr(asked_at(), 1, 4) as integer)
-- fragment: is_rejected = e.target_id in (select r.id from main.nodes r where {visible r} and r.rejected_at is not null)

-- fragment: owner
-- Its views are of one access.
