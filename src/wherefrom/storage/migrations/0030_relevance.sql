-- How surely an item of a context is about its question; null if nobody can tell.
alter table active_context_items add column relevance double precision;
