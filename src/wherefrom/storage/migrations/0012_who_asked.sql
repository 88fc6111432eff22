-- Who asked: what an active context was made with, and which root a judgement came from.

-- The tags that the maker of a context held, the boundary classes that it saw, and what policies hid from it. Whoever sees
-- less does not see the context. Those that are there do not say, and live for an hour.
delete from active_contexts;
alter table active_contexts add column made_by text not null default '{}';

-- A request_id belongs to the root that it came from: two roots never hear of each other's. '': not known.
alter table feedback add column root $key not null default '';
drop index feedback_by_request;
create unique index feedback_by_request on feedback (owner_id, request_id, root) where request_id is not null;
