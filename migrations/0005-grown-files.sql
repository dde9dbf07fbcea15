-- Where the reading of a seen file ended, and what its reader knew there: of a file that grew, only what is new is read.
ALTER TABLE seen_file ADD COLUMN settled INTEGER NOT NULL DEFAULT 1; -- whether its times tell whether it changes
ALTER TABLE seen_file ADD COLUMN reached INTEGER;  -- the end of its last record; NULL where it must be read from its start
ALTER TABLE seen_file ADD COLUMN line    INTEGER;  -- on which that stands
ALTER TABLE seen_file ADD COLUMN changes INTEGER;  -- how many its session had then: with more it is another one
ALTER TABLE seen_file ADD COLUMN reader  BLOB;     -- in the words of its codec
