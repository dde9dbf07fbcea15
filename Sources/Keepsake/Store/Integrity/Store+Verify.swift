#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Store {
  /// Checks that all data is present and unaltered, and that derived data agrees with it. This repairs nothing.
  ///
  /// The check writes nothing, and works on a store that is open for reading. Damage is told in the report, and is no
  /// error. Each session is checked in a snapshot of its own, so others can go on writing. The memory that this needs
  /// is bounded by the number of changes of the largest session.
  /// - Parameters:
  ///   - options: How thorough the check is.
  ///   - progress: Receives the progress, on any thread.
  /// - Returns: The findings and counts.
  /// - Throws: ``KeepsakeError`` if the check can't go on because the store was closed, and `CancellationError`.
  @concurrent
  public func verify(
    _ options: VerifyOptions = .init(), progress: (@Sendable (VerifyProgress) -> Void)? = nil
  ) async throws -> VerifyReport {
    try Verification(handle: handle, options: options, progress: progress).run()
  }
}

/// A run of `verify`, which goes from check to check and collects the findings.
private struct Verification {
  let handle: StoreHandle
  let options: VerifyOptions
  let progress: (@Sendable (VerifyProgress) -> Void)?
  private var report = VerifyReport()

  init(
    handle: StoreHandle, options: VerifyOptions, progress: (@Sendable (VerifyProgress) -> Void)?
  ) {
    self.handle = handle
    self.options = options
    self.progress = progress
  }

  consuming func run() throws -> VerifyReport {
    try database()
    try sessions()
    try artifacts()
    try sources()
    report.heads.sort { $0.session.bytes.lexicographicallyPrecedes($1.session.bytes) }
    return report
  }

  private mutating func database() throws {
    progress?(VerifyProgress(phase: .database, done: 0, total: 1))
    let options = options
    // First, because SQLite's own check runs what is in the tables' constraints.
    var isOurs = false
    try attempt("the schema") { report, db in isOurs = try SchemaCheck(db: db).run(report: &report)
    }
    try attempt("the database") { report, db in
      try DatabaseCheck(db: db).run(isOurs ? options.database : nil, report: &report)
    }
    for table in NumberCheck.tables {
      try attempt("the table '\(table)'") { report, db in
        try NumberCheck(db: db).run(table: table, report: &report)
      }
    }
    try attempt("the search index") { report, db in
      try SearchCheck(db: db).run(report: &report)
    }
  }

  private mutating func sessions() throws {
    let total = try count { try $0.checks.sessions() }
    var kept = Dictionary(grouping: options.heads, by: \.session)
    var last = Int64.min
    var done = 0
    while true {
      try Task.checkCancellation()
      progress?(VerifyProgress(phase: .sessions, done: done, total: total))
      var next: Int64?
      try attempt("the list of sessions") { _, db in
        next = try db.checks.session(after: last)
      }
      guard let number = next else { break }
      try attempt("session number \(number)") { report, db in
        guard var check = try SessionCheck(number, in: db) else { return }
        try check.run(kept: kept.removeValue(forKey: check.id) ?? [], report: &report)
      }
      last = number
      done += 1
    }
    for (id, heads) in kept.sorted(by: { $0.key.uuidString < $1.key.uuidString }) {
      report.damaged(
        "session \(id)",
        "It is not in the store; a kept head says that it had \(heads.map(\.changes).max() ?? 0) changes: it was deleted, or an older copy of the store was put back."
      )
    }
  }

  private mutating func artifacts() throws {
    let total = try count { try $0.artifacts.count() }
    var check = ArtifactCheck(handle: handle, readData: options.readData)
    while true {
      try Task.checkCancellation()
      progress?(VerifyProgress(phase: .artifacts, done: report.counts.artifacts, total: total))
      var isDone = true
      do { isDone = try !check.page(report: &report) } catch {
        try note(error, about: "the artifacts")
      }
      if isDone { break }
    }
    do { try check.findOrphans(report: &report) } catch {
      try note(error, about: "the artifacts' files")
    }
  }

  private mutating func sources() throws {
    var check = SourceCheck(handle: handle, readData: options.readData)
    while true {
      try Task.checkCancellation()
      do {
        if try !check.next(report: &report) { return }
      } catch { return try note(error, about: "the sources") }
    }
  }

  private func count(_ body: (Tables) throws -> Int64) throws -> Int {
    do { return Int(try handle.read(body)) } catch let error as KeepsakeError
      where error.code == .damaged || error.code == .inputOutput
    { return 0 }
  }

  /// Runs a check in a snapshot. Damage that stops the check becomes a finding, too.
  private mutating func attempt(
    _ object: String, _ check: (inout VerifyReport, Tables) throws -> Void
  ) throws {
    let handle = handle
    do {
      try handle.read { try check(&report, $0) }
    } catch { try note(error, about: object) }
  }

  private mutating func note(_ error: any Error, about object: String) throws {
    switch KeepsakeError.wrap(error, store: handle.layout.path) {
    case let error as KeepsakeError
    where error.code != .closed && error.code != .locked && error.code != .notFound:
      report.damaged(object, "It can't be read to its end: \(error.failure)")
    case let error: throw error
    }
  }
}
