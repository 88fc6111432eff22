-- Full text: the terms that text/tokens.py makes, with how often they stand in a text and its length,
-- so that BM25 is exact (ts_rank is not BM25).
create unique index nodes_by_seq on nodes (owner_id, seq);

create table node_texts (
    owner_id  text collate "C" not null,
    node_seq  bigint not null,
    length    integer not null,
    primary key (owner_id, node_seq),
    foreign key (owner_id, node_seq) references nodes (owner_id, seq) on delete cascade
);

create table node_terms (
    owner_id  text collate "C" not null,
    term      text collate "C" not null,
    node_seq  bigint not null,
    frequency integer not null,
    length    integer not null,
    primary key (owner_id, term, node_seq),
    foreign key (owner_id, node_seq) references node_texts (owner_id, node_seq) on delete cascade
);
create index node_terms_by_node on node_terms (owner_id, node_seq);
