import KeepsakeSQLite

extension Tables {
  /// Tells whether a transaction is open. Some errors end it.
  var isInTransaction: Bool { connection.isInTransaction }

  /// Runs the body inside of a write transaction so that an error undoes all that the body did, and nothing else.
  func attempting<Result>(_ body: () throws -> Result) throws -> Result {
    try connection.prepare("SAVEPOINT attempt").run()
    do {
      let result = try body()
      try connection.prepare("RELEASE attempt").run()
      return result
    } catch {
      // An error that ended the whole transaction leaves nothing to go back to.
      if connection.isInTransaction {
        try connection.prepare("ROLLBACK TO attempt").run()
        try connection.prepare("RELEASE attempt").run()
      }
      throw error
    }
  }

  /// Runs the body in a write transaction, for whoever keeps all others from writing and is in no transaction yet.
  func committing(_ body: () throws -> Void) throws {
    try connection.prepare("BEGIN IMMEDIATE").run()
    try body()
    try connection.commit()
  }
}
