import KeepsakeSQLite

extension Tables {
  /// Runs the body in a write transaction, for whoever keeps all others from writing and is in no transaction yet.
  func committing(_ body: () throws -> Void) throws {
    try connection.prepare("BEGIN IMMEDIATE").run()
    try body()
    try connection.commit()
  }
}
