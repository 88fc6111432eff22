-- The newest edge of a namespace, from which thickness is counted: answers that show edges ask for it.
create index edges_observed on edges (owner_id, source_namespace, observed_at);
