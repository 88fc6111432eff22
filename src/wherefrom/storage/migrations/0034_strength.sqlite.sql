-- One notion of strength: relations that insight found are made with the confidence 0.5 instead of 0.15, and a walk takes
-- 0.35 off. Those that are there, and their receipts, are as sure as if they had been made so; their times stay.
update edges set confidence = min(1.0, confidence + 0.35) where judge = 'insight';
update retired set content = json_set(content, '$.confidence', min(1.0, json_extract(content, '$.confidence') + 0.35))
where kind = 'edge' and json_extract(content, '$.judge') = 'insight' and json_extract(content, '$.confidence') is not null;
