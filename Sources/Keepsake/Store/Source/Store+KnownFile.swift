import KeepsakeFiles

extension Store {
  /// Reports on a file that was imported before and stands there unchanged, without reading it; nil for any other file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - name: The name of the file in the report.
  ///   - format: The name of the file's format; nil for the format that it was imported as.
  @concurrent
  package func knownFile(at path: String, as name: String, format: String?) async throws
    -> ImportReport?
  {
    guard let standing = try? FileStanding(OutsideFile.open(path), at: path) else { return nil }
    let handle = handle
    return try handle.read { db in
      guard let seen = try db.sources.seen(standing, format: format),
        let summary = try SessionList.summary(of: seen.session, in: db)
      else { return nil }
      return ImportReport(
        sessions: [.init(summary, format: seen.format)],
        skipped: SeenFile.remarks(seen.remarks, path: name))
    }
  }
}
