-- Which unlinked nodes were judged again since a namespace has grown.

-- judged: how many new nodes were judged so far. again_at: how many that were when the last round of judging again began;
-- again_seq, again_end: up to which node that round has come, and where it ends.
alter table insight_seen add column judged bigint not null default 0;
alter table insight_seen add column again_at bigint not null default 0;
alter table insight_seen add column again_seq bigint not null default 0;
alter table insight_seen add column again_end bigint not null default 0;
