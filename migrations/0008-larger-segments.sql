-- FTS5 gathers in memory what a transaction adds to the index, and writes a segment whenever that reaches this size. It is
-- 1 MiB unless told: what is indexed in larger transactions would be written in small segments, and merged again and again.
INSERT INTO search (search, rank) VALUES ('hashsize', 4194304);
