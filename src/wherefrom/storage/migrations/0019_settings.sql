-- Settings of namespaces were exported and imported, and nothing read them: policies hold what namespaces set.
drop table namespace_settings;
