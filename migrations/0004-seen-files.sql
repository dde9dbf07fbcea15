-- Foreign files as they stood when they were imported: one that stands so again is known without being read.
CREATE TABLE seen_file (
  place    BLOB PRIMARY KEY,                  -- the SHA-256 of its absolute path: the path itself is nobody's business
  size     INTEGER NOT NULL,
  modified INTEGER NOT NULL,                  -- nanoseconds since 1970
  changed  INTEGER NOT NULL,
  inode    INTEGER NOT NULL,
  tail     BLOB NOT NULL,                     -- the SHA-256 of its last bytes
  import   INTEGER NOT NULL REFERENCES import,
  remarks  TEXT                               -- what the import said of its records; NULL where there was nothing to say
) STRICT, WITHOUT ROWID;
CREATE INDEX seen_file_by_import ON seen_file (import);
