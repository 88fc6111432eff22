-- How many searches there were, and how many of them had to do without an arm. Other events do not pay for it.
create index events_of_searches on events (owner_id, topic, at, namespace)
where topic in ('search', 'activate', 'search_fallback');
