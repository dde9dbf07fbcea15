/// A step of the schema: a script that is released once and never changed afterwards.
package struct Migration: Sendable {
  /// The script's name, such as `0001-store.sql`.
  package let name: String
  /// The bytes of the script, exactly as in its file, because every store keeps their checksum.
  package let sql: [UInt8]

  /// Creates a step from the name and the bytes of a file.
  package init(name: String, sql: [UInt8]) {
    self.name = name
    self.sql = sql
  }
}
