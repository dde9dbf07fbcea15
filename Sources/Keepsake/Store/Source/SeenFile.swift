/// A file that was imported before.
enum SeenFile {
  /// Remembers a file, if its times tell whether it changes, or it can be read on.
  ///
  /// - Parameters:
  ///   - standing: The size and the times of the file.
  ///   - number: The import that took it over.
  ///   - remarks: The remarks of the import about the file's records.
  ///   - bookmark: The place where the file can be read on; nil if it has to be read from its start.
  ///   - changes: The number of changes that the file's session has.
  ///   - db: The tables.
  static func insert(
    _ standing: FileStanding, import number: Int64, _ remarks: [ImportReport.Skipped],
    _ bookmark: SourceBookmark?, changes: Int, in db: Tables
  ) throws {
    guard standing.isSettled || bookmark != nil else { return }
    try db.sources.remember(
      standing, import: number, remarks: remarks.isEmpty ? nil : json(remarks).text,
      bookmark: bookmark, changes: changes)
  }

  /// Returns the remarks of an import about a file's records, from their stored text.
  ///
  /// - Parameters:
  ///   - stored: The text; nil for no remarks.
  ///   - path: The present name of the file.
  static func remarks(_ stored: String?, path: String?) -> [ImportReport.Skipped] {
    let remarks = stored.flatMap { try? JSON(validating: $0) }?.arrayValue ?? []
    return remarks.map { remark in
      .init(
        path: path, line: remark["line"]?.intValue.map(Int.init),
        reason: remark["reason"]?.stringValue ?? "", isKept: remark["kept"]?.boolValue ?? false)
    }
  }

  private static func json(_ remarks: [ImportReport.Skipped]) -> JSON {
    .array(
      remarks.map { remark in
        var members: [(String, JSON)] = [
          ("reason", .string(remark.reason)), ("kept", .bool(remark.isKept)),
        ]
        if let line = remark.line { members.append(("line", .number(Int64(line)))) }
        return .object(members)
      })
  }
}
