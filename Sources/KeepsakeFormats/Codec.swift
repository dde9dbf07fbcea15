import Keepsake

/// Reads and writes one format.
protocol Codec: Sendable {
  static var format: Format { get }

  /// Returns whether a file with this beginning is of the format.
  ///
  /// Keys may come in any order, and the file may be larger than the beginning, so the beginning alone must be
  /// enough.
  static func recognises(_ head: FileHead) -> Bool

  /// Imports a file into a store.
  /// - Parameters:
  ///   - file: The file.
  ///   - store: The store that takes the file's sessions.
  ///   - session: The session that the file is aligned with; nil to find out whether the file continues one.
  /// - Returns: What was imported.
  static func take(_ file: ForeignFile, into store: Store, _ session: Session?) async throws
    -> ImportReport

  /// Writes a session, piece by piece.
  /// - Parameters:
  ///   - session: The session that is written.
  ///   - name: The name that the format was asked for by; some formats write another version under another name.
  ///   - options: How the session is written; all of them are options that the format supports.
  ///   - output: Takes the bytes of the file, and the files that are put beside it.
  /// - Returns: A count of what the format could not express.
  static func write(
    _ session: Session, as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses

  /// Refuses a file that cannot be imported, and reads only as much of the file as that takes.
  static func requireReadable(_ file: ForeignFile) throws
}

extension Codec {
  static func requireReadable(_ file: ForeignFile) throws {}
}
