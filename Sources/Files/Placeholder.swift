// Replaced by the room's own files.
