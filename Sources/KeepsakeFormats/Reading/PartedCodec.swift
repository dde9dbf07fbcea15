import Keepsake

/// A codec of a foreign format whose files may hold several sessions.
protocol PartedCodec: FileCodec {
  /// Cuts a file into its sessions; nil where the file holds one session.
  static func parts(of file: ForeignFile) throws -> (any PartsReading)?
}

extension PartedCodec {
  static func take(_ file: ForeignFile, into store: Store, _ session: Session?) async throws
    -> ImportReport
  {
    guard var parts = try parts(of: file) else { return try await takeWhole(file, store, session) }
    guard session == nil else {
      throw FormatError(
        .unsupported,
        "Can't take '\(file.name)' into a session: it may hold several. Import it without naming one.",
        file: file.name)
    }
    var report = ImportReport()
    while let part = try parts.next() {
      try Task.checkCancellation()
      do {
        var one = try await takeWhole(part.file, store, nil)
        one.skipped = one.skipped.map {
          .init(path: $0.path, line: part.number, reason: $0.reason, isKept: $0.isKept)
        }
        report.add(one)
      } catch let error as FormatError where error.isOfContent {
        report.skipped.append(
          .init(path: file.lastName, line: part.number, reason: error.message))
      }
      file.progress?(Double(part.end) / Double(max(1, file.size)))
    }
    return report
  }

  static func requireReadable(_ file: ForeignFile) throws {
    guard var parts = try parts(of: file) else { return try requireWholeReadable(file) }
    var first: FormatError?
    while let part = try parts.next() {
      do {
        return try requireWholeReadable(part.file)
      } catch let error as FormatError where error.isOfContent {
        first = first ?? error
      }
    }
    if let first { throw first }
  }
}

extension FormatError {
  /// Whether the error is a fault in the content of a file, and not a failure to read the file.
  fileprivate var isOfContent: Bool { code == .malformed || code == .tooLarge }
}
