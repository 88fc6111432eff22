-- The words in which SQLite differs.

-- fragment: key = text
-- fragment: seq = integer primary key autoincrement
-- The + keeps SQLite from reading all rows by an index.
-- fragment: scanned = +{0}.owner_id = :owner
-- fragment: identity = unique
-- fragment: seq_or_next = {0}
-- fragment: first_segment = substr({0}, 1, instr({0} || '/', '/') - 1)
-- The texts of a parameter that holds a JSON array.
-- fragment: each = (select value from json_each(:{0}))
-- True if a column has one of the few plain words of a parameter. A subquery would be stored and looked up in a table for
-- each row, which costs twice as much.
-- fragment: among = instr(:{1}, '"' || {0} || '"') > 0

-- fragment: matches
-- True if a row's metadata has all keys and values of :metadata.
(select count(*) from json_each(:metadata) as w join json_each({0}.metadata) as m on m.key = w.key
 and m.value = w.value and (m.type = w.type or m.type || w.type in ('integerreal', 'realinteger')))
= (select count(*) from json_each(:metadata))

-- A title in which A to Z have become a to z; the other letters are as they were.
-- fragment: folded = lower({0})
-- A text in a column of JSON.
-- fragment: items_in = json_array_length({0}, '$.{1}')
-- fragment: text_in = json_extract({0}, '$.{1}')
-- fragment: vector = {0}.vector
-- A stored time as a number of days.
-- fragment: day = julianday({0})
-- fragment: judged_days_ago = max(julianday(:now) - julianday(coalesce({0}.judged_at, {0}.created_at)), 0.0)
