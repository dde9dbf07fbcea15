-- A store that joined a hub leaves a note at the hub, so that other stores can list the stores that use it.
ALTER TABLE joined ADD COLUMN name TEXT;     -- the store's name at the hub; NULL: that of the machine
ALTER TABLE joined ADD COLUMN note TEXT;     -- the note as the store last left it; NULL: it left none
ALTER TABLE joined ADD COLUMN noted INTEGER; -- when it left the note, in microseconds
