-- Each place of each term in the full-text index, from which the frequency of a term in a text is counted.
create virtual table node_places using fts5vocab (node_terms, 'instance');
