-- When a vector was made; null for those that were made before this was noted.
alter table embeddings add column created_at $key;
