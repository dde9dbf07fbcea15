-- Turns belong to a lane, and may overlap: then the newest is not always the one that goes on.
ALTER TABLE turn ADD COLUMN lane TEXT;        -- NULL: for all lanes
ALTER TABLE session ADD COLUMN overlapping INTEGER NOT NULL DEFAULT 0;

-- What goes on now: turns that were opened and runs that began. A row goes when its turn is closed or its run ends.
CREATE TABLE running (
  session INTEGER NOT NULL REFERENCES session,
  kind    INTEGER NOT NULL,                   -- 0 a turn, 1 a run
  number  INTEGER NOT NULL,                   -- the turn's in its session, or the invocation's
  owner   BLOB NOT NULL,                      -- the open store that has it; another one finds it interrupted
  PRIMARY KEY (session, kind, number)
) STRICT, WITHOUT ROWID;

-- Nobody closes these any more: what opened them knew nothing of owners, and can't write here now. When they ended is
-- not known.
UPDATE turn SET outcome = 3 WHERE closed IS NULL AND outcome IS NULL;
