/// One step of the schema: a script that is released once and never changed afterwards.
public struct Migration: Sendable {
  /// The script's name, such as `0001-store.sql`.
  public let name: String
  /// The bytes of the script, exactly as in its file, because every store keeps their checksum.
  public let sql: [UInt8]

  /// Creates a step from the name and the bytes of a file.
  public init(name: String, sql: [UInt8]) {
    self.name = name
    self.sql = sql
  }
}
