/// One step of the schema: a script that is released once and never changed afterwards.
public struct Migration: Sendable {
  /// The script's name, such as `0001-store.sql`.
  public let name: String
  /// The script, exactly as in its file: its checksum is kept in every store.
  public let sql: [UInt8]

  /// A step from its file's name and bytes.
  public init(name: String, sql: [UInt8]) {
    self.name = name
    self.sql = sql
  }
}
