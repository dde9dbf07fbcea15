import KeepsakeSQLite

extension FileTable {
  /// Throws if a newer version has changed the schema since the database was opened.
  func recheckSchema() throws { try StoreOpening.migrator.recheck(db) }
}
