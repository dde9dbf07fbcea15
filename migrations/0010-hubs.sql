-- A store can join a hub, where stores meet: it tells there what changed here, and takes over what changed elsewhere.
CREATE TABLE joined (
  hub BLOB NOT NULL PRIMARY KEY,  -- the hub's id; there is at most one row
  address TEXT NOT NULL,          -- where the hub is, without a secret
  since INTEGER NOT NULL,         -- when the store joined, in microseconds
  peer BLOB NOT NULL,             -- the store's name in the hub's feed
  next INTEGER NOT NULL,          -- the number of its next entry there
  mark TEXT,                      -- up to where it has read the feeds; NULL: it reads the hub's directory next
  synced INTEGER                  -- when it last had all that the hub had; NULL: never
) STRICT, WITHOUT ROWID;
-- What the store last saw of each session of the hub. The session need not be here.
CREATE TABLE hub_session (
  id BLOB NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL,       -- 0: the hub is not known to have it
  stamp BLOB,                     -- of that version; NULL for version 0
  removed INTEGER NOT NULL DEFAULT 0, -- 1: it was deleted at the hub, and has to be deleted here
  fault TEXT                      -- why the session is not kept in step; NULL: it is
) STRICT, WITHOUT ROWID;
-- A commit that is on its way to the hub. It is sent again, the same, until the hub has answered.
CREATE TABLE offer (
  session BLOB PRIMARY KEY,       -- the session's id
  base BLOB,                      -- the stamp of the version that it builds on; NULL: it makes the session
  stamp BLOB NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
-- The rows that changed since they were last offered. Temporary triggers of each writer fill these tables.
CREATE TABLE unsent (
  session INTEGER NOT NULL, kind INTEGER NOT NULL, first INTEGER NOT NULL, second INTEGER NOT NULL,
  place INTEGER NOT NULL, PRIMARY KEY (session, kind, first, second)
) STRICT, WITHOUT ROWID;
-- The chain that a session had before its first change of these; without one the session is new.
CREATE TABLE unsent_session (session INTEGER PRIMARY KEY, changes INTEGER, head BLOB) STRICT;
CREATE TABLE unsent_removal (id BLOB NOT NULL PRIMARY KEY, session INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE unsent_artifact (digest BLOB NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;
