-- A store of conversations. Times are microseconds since 1970, UTC. Positions in a session are dense: 0, 1, 2 …
-- An entry's id is its session's number << 24 | its position, so that one range scan reads a session.
-- `operation`, `change`, `salt`, `digest`: the link of the session's chain that last wrote the row (Documentation/Digest.md).

CREATE TABLE store (
  id      BLOB NOT NULL CHECK (length(id) = 16),
  created INTEGER NOT NULL
) STRICT;

CREATE TABLE session (
  number        INTEGER PRIMARY KEY,
  id            BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  created       INTEGER NOT NULL,
  updated       INTEGER NOT NULL,             -- its newest entry's time, exact to the second
  state         INTEGER NOT NULL DEFAULT 0,   -- 0 shown, 1 hidden while an import is under way, 2 purged: only its forks need it,
                                              -- 3 hidden while it is restored: its rows come in any order
  parent        INTEGER REFERENCES session,   -- of a fork: the newest session that it shows something of, below fork_position
  fork_position INTEGER,
  fork_change   INTEGER,                      -- how many changes the parent had: later ones do not show in the fork
  fork_head     BLOB,
  reach         INTEGER,                      -- of a fork: below which position it shows what it shares; once it is purged, what
                                              -- was forked from it. The parent keeps that.
  entries       INTEGER NOT NULL DEFAULT 0,   -- the next position
  turns         INTEGER NOT NULL DEFAULT 0,
  attachments   INTEGER NOT NULL DEFAULT 0,   -- that it shows: with those that a fork shares
  labels        INTEGER NOT NULL DEFAULT 0,   -- the last number given to a label
  bytes         INTEGER NOT NULL DEFAULT 0,   -- of bodies and of attached artifacts; of a fork its own only
  changes       INTEGER NOT NULL DEFAULT 0,
  head          BLOB NOT NULL CHECK (length(head) = 32),
  model         TEXT,                         -- the last one that answered, in what it shows
  origin        TEXT,
  foreign_id    TEXT,
  title         TEXT,
  preview       TEXT,                         -- the beginning of the first prompt
  cover         INTEGER                       -- the first attached image, perhaps of what a fork shares
) STRICT;
CREATE INDEX session_by_update ON session (updated, number) WHERE state = 0;
CREATE INDEX session_by_foreign_id ON session (foreign_id, origin) WHERE foreign_id IS NOT NULL;
CREATE INDEX session_by_parent ON session (parent, reach, fork_change) WHERE parent IS NOT NULL;

-- Sessions that are being restored from a copy; all of a copy's are shown at once.
CREATE TABLE restoring (
  session INTEGER PRIMARY KEY REFERENCES session,
  owner   BLOB NOT NULL                       -- the open store that restores it
) STRICT;

-- Sessions of which there may be rows to remove: deleted ones, and those of a restoring or an import that did not come to its
-- end. Whoever writes to the store goes on with them; this row goes last.
CREATE TABLE removing (
  session INTEGER PRIMARY KEY REFERENCES session
) STRICT;

-- Artifacts that were removed, whose files may still be there.
CREATE TABLE removed_artifact (
  digest BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Where what was removed may still stand although no row says it.
CREATE TABLE trace (
  place INTEGER PRIMARY KEY,                  -- 0 the pages of the search index, 1 those of the log
  begun INTEGER NOT NULL                      -- of the index: whether the rewriting is under way
) STRICT;

CREATE TABLE session_metadata (
  session INTEGER PRIMARY KEY REFERENCES session,
  json    TEXT NOT NULL
) STRICT;

CREATE TABLE tag (
  tag     TEXT NOT NULL,
  session INTEGER NOT NULL REFERENCES session,
  entry   INTEGER NOT NULL DEFAULT -1,        -- -1: the session itself
  PRIMARY KEY (tag, session, entry)
) STRICT, WITHOUT ROWID;
CREATE INDEX tag_by_session ON tag (session, entry);

CREATE TABLE entry (
  id           INTEGER PRIMARY KEY,
  uuid         BLOB NOT NULL,
  kind         INTEGER NOT NULL,
  created      INTEGER NOT NULL,
  status       INTEGER NOT NULL,
  visibility   INTEGER NOT NULL,
  turn         INTEGER,
  key          TEXT,
  lane         TEXT,
  author       TEXT,
  model        TEXT,
  call_entry   INTEGER,                       -- of a tool output: the call that it answers
  call_ordinal INTEGER,
  operation    INTEGER NOT NULL,
  change       INTEGER NOT NULL,
  salt         BLOB,                          -- NULL, like the body, once it is erased
  digest       BLOB NOT NULL,
  body         TEXT
) STRICT;
-- For a file that may be taken for the continuation of a session: by the keys that both begin with.
CREATE INDEX entry_by_first_key ON entry (key) WHERE key IS NOT NULL AND id & 16777215 < 16;
CREATE INDEX entry_by_call ON entry (call_entry, call_ordinal) WHERE call_entry IS NOT NULL;

-- The entries with a key, sixteen positions at a time: 0 to 15 once 15 is taken, and so on.
CREATE TABLE entry_key (
  session  INTEGER NOT NULL,
  digest   INTEGER NOT NULL,                  -- the first four bytes of the key's SHA-256; two keys may share it
  position INTEGER NOT NULL,
  PRIMARY KEY (session, digest, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE revision (
  entry     INTEGER NOT NULL REFERENCES entry,
  number    INTEGER NOT NULL,
  replaced  INTEGER NOT NULL,                 -- when
  until     INTEGER NOT NULL,                 -- the change that replaced it
  status    INTEGER NOT NULL,
  lane      TEXT,
  author    TEXT,
  model     TEXT,
  operation INTEGER NOT NULL,
  change    INTEGER NOT NULL,
  salt      BLOB,
  digest    BLOB NOT NULL,
  body      TEXT,
  PRIMARY KEY (entry, number)
) STRICT;

CREATE TABLE tool_call (
  entry   INTEGER NOT NULL REFERENCES entry,
  ordinal INTEGER NOT NULL,
  call_id TEXT,                               -- not unique: an output answers the nearest earlier call that waits
  tool    TEXT NOT NULL,
  PRIMARY KEY (entry, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX tool_call_by_tool ON tool_call (tool, entry);
CREATE INDEX tool_call_by_call_id ON tool_call (call_id, entry) WHERE call_id IS NOT NULL;

CREATE TABLE turn (
  session  INTEGER NOT NULL REFERENCES session,
  number   INTEGER NOT NULL,
  opened   INTEGER NOT NULL,
  closed   INTEGER,
  outcome  INTEGER,
  detail   TEXT,
  attempts INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE artifact (
  number  INTEGER PRIMARY KEY,
  digest  BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  size    INTEGER NOT NULL,
  place   INTEGER NOT NULL,                   -- 0 a row of blob, 1 a file below artifacts/
  created INTEGER NOT NULL,
  type    TEXT,                               -- derived from the bytes, like the pixel size: it can be derived again
  width   INTEGER,
  height  INTEGER
) STRICT;
CREATE INDEX artifact_by_size ON artifact (size) WHERE place = 1;

CREATE TABLE blob (
  number INTEGER PRIMARY KEY REFERENCES artifact,
  bytes  BLOB NOT NULL
) STRICT;

CREATE TABLE invocation (
  number         INTEGER PRIMARY KEY,
  id             BLOB NOT NULL,
  session        INTEGER NOT NULL REFERENCES session,
  turn           INTEGER,
  maker          INTEGER NOT NULL,            -- a tool, or a step of the app
  name           TEXT NOT NULL,
  implementation TEXT,
  version        TEXT,
  model          TEXT,
  parameters     TEXT,
  arguments      TEXT,
  started        INTEGER NOT NULL,
  ended          INTEGER,
  outcome        INTEGER,
  detail         TEXT,
  output         TEXT,
  call_id        TEXT,                        -- as the caller named the call, which may come later
  call_entry     INTEGER,
  call_ordinal   INTEGER,
  basis          INTEGER,
  recorded       INTEGER NOT NULL,            -- the change that recorded it, which is the position of all its links
  operation      INTEGER NOT NULL,
  change         INTEGER NOT NULL,
  salt           BLOB,
  digest         BLOB NOT NULL
) STRICT;
CREATE INDEX invocation_by_session ON invocation (session, number);
CREATE INDEX invocation_unbound ON invocation (session, turn) WHERE call_entry IS NULL AND maker = 0;
CREATE INDEX invocation_by_id ON invocation (id);

CREATE TABLE attachment (
  number         INTEGER PRIMARY KEY,         -- in the order of recording, store-wide
  session        INTEGER NOT NULL REFERENCES session,
  entry          INTEGER,                     -- NULL until its entry is known
  segment        INTEGER,
  pointer        TEXT,                        -- where in a structure: a JSON Pointer
  range_start    INTEGER,                     -- where in a text: UTF-8 offsets
  range_end      INTEGER,
  turn           INTEGER,
  created        INTEGER NOT NULL,
  artifact       INTEGER REFERENCES artifact, -- NULL while pending, failed, missing, remote, erased
  state          INTEGER NOT NULL,
  direction      INTEGER NOT NULL,
  maker          INTEGER NOT NULL,
  basis          INTEGER NOT NULL,
  invocation     INTEGER REFERENCES invocation,
  call_id        TEXT,                        -- as the caller named the call, which may come later
  call_entry     INTEGER,
  call_ordinal   INTEGER,
  tool           TEXT,
  label          TEXT,
  declared_label TEXT,                        -- what the source called it, where that was taken
  media_type     TEXT,                        -- as declared
  file_name      TEXT,
  captions       TEXT,
  reference      TEXT,                        -- the path, URL or file id that the tool gave: evidence, never opened
  inputs         TEXT,                        -- what it was made from
  recorded       INTEGER NOT NULL,            -- the change that recorded it, which is the position of all its links
  operation      INTEGER NOT NULL,
  change         INTEGER NOT NULL,
  salt           BLOB,
  digest         BLOB NOT NULL
) STRICT;
CREATE INDEX attachment_by_entry ON attachment (session, entry);
CREATE INDEX attachment_by_artifact ON attachment (artifact) WHERE artifact IS NOT NULL;
CREATE INDEX attachment_by_tool ON attachment (tool, number) WHERE tool IS NOT NULL;
CREATE INDEX attachment_by_invocation ON attachment (invocation) WHERE invocation IS NOT NULL;
CREATE INDEX attachment_without_entry ON attachment (call_entry, call_ordinal)
  WHERE entry IS NULL AND call_entry IS NOT NULL;
CREATE INDEX attachment_without_call ON attachment (session, call_id)
  WHERE call_entry IS NULL AND call_id IS NOT NULL;
CREATE UNIQUE INDEX attachment_by_label ON attachment (session, label) WHERE label IS NOT NULL;

CREATE TABLE derivation (
  artifact   INTEGER NOT NULL REFERENCES artifact,
  attachment INTEGER NOT NULL REFERENCES attachment,
  PRIMARY KEY (artifact, attachment)
) STRICT, WITHOUT ROWID;
CREATE INDEX derivation_by_attachment ON derivation (attachment);

-- The links that no row holds any more, because a later change wrote it.
CREATE TABLE change (
  session   INTEGER NOT NULL REFERENCES session,
  number    INTEGER NOT NULL,
  operation INTEGER NOT NULL,
  position  INTEGER NOT NULL,                 -- an entry's, or `recorded` of an attachment or invocation
  digest    BLOB NOT NULL,
  PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE draft (
  number   INTEGER PRIMARY KEY,
  session  INTEGER NOT NULL REFERENCES session,
  uuid     BLOB NOT NULL,
  turn     INTEGER,
  template TEXT NOT NULL,                     -- the entry that it becomes, as JSON, without what streams
  schema   TEXT,                              -- of a structured draft
  owner    BLOB NOT NULL                      -- the open store that streams it; another one finds it interrupted
) STRICT;
CREATE INDEX draft_by_session ON draft (session);

CREATE TABLE draft_piece (
  draft  INTEGER NOT NULL REFERENCES draft,
  number INTEGER NOT NULL,
  keep   INTEGER NOT NULL,                    -- bytes of what stood before that stay
  text   TEXT NOT NULL,                       -- and what follows them
  PRIMARY KEY (draft, number)
) STRICT;

-- How far search has got: sessions with entries that still wait, and from which position.
CREATE TABLE search_queue (
  session  INTEGER PRIMARY KEY REFERENCES session,
  position INTEGER NOT NULL
) STRICT;

CREATE TABLE document (
  number    INTEGER PRIMARY KEY,              -- the search row's; newest last
  entry     INTEGER NOT NULL,
  change    INTEGER NOT NULL,                 -- of the content that was indexed
  segmenter INTEGER NOT NULL
) STRICT;
CREATE INDEX document_by_entry ON document (entry);

-- The text comes folded and cut into words by ourselves: the tokenizer only splits it at spaces.
CREATE VIRTUAL TABLE search USING fts5 (text, content = '', tokenize = 'ascii');

-- The last whole transcript that an app saved: when the next one begins with it, only the rest is looked at.
CREATE TABLE saved (
  session  INTEGER PRIMARY KEY REFERENCES session,
  count    INTEGER NOT NULL,
  position INTEGER NOT NULL,                  -- of the entry that the list's last one became
  digest   BLOB NOT NULL
) STRICT;

CREATE TABLE log (
  number INTEGER PRIMARY KEY,
  time   INTEGER NOT NULL,
  event  TEXT NOT NULL,
  detail TEXT
) STRICT;

-- Foreign files that entries were imported from, verbatim.
CREATE TABLE source (
  number      INTEGER PRIMARY KEY,
  format      TEXT NOT NULL,                  -- the codec's name
  name        TEXT,                           -- the file's name, as it was given: evidence
  created     INTEGER NOT NULL,
  size        INTEGER NOT NULL,               -- of the whole file
  digest      BLOB NOT NULL,                  -- the SHA-256 of all its bytes
  records     INTEGER NOT NULL DEFAULT 0,     -- how many of its records say entries
  beginning   BLOB,                           -- the digest of them up to the first prompt: to find the file that grew into another
  identity    BLOB,                           -- of all of them; NULL, like the other, where that could not be checked
  base        INTEGER REFERENCES source,      -- the source that it begins with, and how many pieces they share
  base_pieces INTEGER NOT NULL DEFAULT 0,
  owner       BLOB,                           -- the open store that imports it; NULL once complete, zeros while it goes
  target      INTEGER                         -- the session that it makes, hidden until then
) STRICT;
CREATE INDEX source_by_digest ON source (digest);
CREATE INDEX source_by_beginning ON source (beginning, records, identity)
  WHERE beginning IS NOT NULL;
CREATE INDEX source_by_base ON source (base) WHERE base IS NOT NULL;
CREATE INDEX source_by_owner ON source (owner) WHERE owner IS NOT NULL;

-- Its bytes, in order: each record with the separators before it, and the parts of the envelope.
CREATE TABLE source_piece (
  id      INTEGER PRIMARY KEY,                -- its source's number << 28 | its place, from 0
  entry   INTEGER,                            -- the first entry that it says; NULL for the envelope
  entries INTEGER NOT NULL DEFAULT 0,
  bytes   BLOB                                -- without its spans; NULL once it is erased
) STRICT;
CREATE INDEX source_piece_by_entry ON source_piece (entry) WHERE entry IS NOT NULL;

-- Base64 that was cut out of a piece, because the store has its artifact.
CREATE TABLE source_span (
  piece    INTEGER NOT NULL REFERENCES source_piece,
  position INTEGER NOT NULL,                  -- where in the bytes that are left
  ordinal  INTEGER NOT NULL,                  -- several may stand at one position
  artifact INTEGER NOT NULL REFERENCES artifact,
  spelling INTEGER NOT NULL,                  -- alphabet, padding, escapes and line breaks
  PRIMARY KEY (piece, position, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX source_span_by_artifact ON source_span (artifact);

-- What a session took over from a source.
CREATE TABLE import (
  number    INTEGER PRIMARY KEY,
  session   INTEGER NOT NULL REFERENCES session,
  source    INTEGER NOT NULL REFERENCES source,
  created   INTEGER NOT NULL,
  first     INTEGER NOT NULL,                 -- the positions that were added
  count     INTEGER NOT NULL,
  recorded  INTEGER NOT NULL,                 -- the change that recorded it
  operation INTEGER NOT NULL,
  change    INTEGER NOT NULL,
  salt      BLOB NOT NULL,
  digest    BLOB NOT NULL
) STRICT;
CREATE INDEX import_by_session ON import (session);
CREATE INDEX import_by_source ON import (source);
