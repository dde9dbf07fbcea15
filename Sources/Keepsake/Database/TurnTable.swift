import KeepsakeSQLite

/// The statements over the table of turns.
struct TurnTable {
  let db: Connection
}

extension Tables {
  var turns: TurnTable { TurnTable(db: connection) }
}
