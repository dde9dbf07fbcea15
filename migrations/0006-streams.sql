-- What a program hands over record by record, under a key of its own. A stream's records are those of its import's source.
CREATE TABLE stream (
  project TEXT NOT NULL,
  session TEXT NOT NULL,                      -- the program's own id of the conversation
  part    TEXT NOT NULL,                      -- '' for the conversation itself, else what belongs to it, such as a sub-agent's
  import  INTEGER REFERENCES import,          -- NULL: the program deleted the stream; what was taken in stays
  appends INTEGER NOT NULL,                   -- how often something was added: who adds may say what he has seen
  updated INTEGER NOT NULL,
  summary TEXT,                               -- the program's own, as it gave it
  PRIMARY KEY (project, session, part)
) STRICT, WITHOUT ROWID;
CREATE INDEX stream_by_import ON stream (import) WHERE import IS NOT NULL;
