-- A store that joined a hub leaves a note there, so that other stores can tell who meets there.
ALTER TABLE joined ADD COLUMN name TEXT;     -- the store's name at the hub; NULL: that of the machine
ALTER TABLE joined ADD COLUMN note TEXT;     -- the note as the store last left it; NULL: it left none
ALTER TABLE joined ADD COLUMN noted INTEGER; -- when it left the note, in microseconds
