-- A store can share the hub's sessions instead of mirroring them: then the hub has a change before the store says that it is made.
ALTER TABLE joined ADD COLUMN shared INTEGER NOT NULL DEFAULT 0; -- 1: the folder is a cache of what the hub has
