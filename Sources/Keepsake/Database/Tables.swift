import KeepsakeSQLite

/// The tables of a store, as one transaction sees them: the only way to what the database holds.
///
/// Each concept of the store has a type in this folder with all of its SQL, and a property here that gives it.
struct Tables {
  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }
}
