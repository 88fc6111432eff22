-- One notion of strength: relations that insight found are made with the confidence 0.5 instead of 0.15, and a walk takes
-- 0.35 off. Those that are there, and their receipts, are as sure as if they had been made so; their times stay.
update edges set confidence = least(1.0, confidence + 0.35) where judge = 'insight';
update retired
set content = cast(jsonb_set(
    cast(content as jsonb), array['confidence'],
    to_jsonb(least(1.0, cast(cast(content as jsonb) ->> 'confidence' as double precision) + 0.35))
) as text)
where kind = 'edge' and cast(content as jsonb) ->> 'judge' = 'insight' and cast(content as jsonb) ->> 'confidence' is not null;
