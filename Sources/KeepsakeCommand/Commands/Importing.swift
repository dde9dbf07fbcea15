#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake
import KeepsakeFormats

/// A running import of several files.
struct Importing {
  /// Opens the store; it is not called, and no store is made, if there is nothing to import.
  private let open: () async throws -> Store
  /// Whether opening the store makes it, so that the first file must be read to its end before.
  ///
  /// A file that can't be read must not leave a new store behind.
  private let makesStore: Bool
  private var store: Store?
  let format: String?
  let terminal: Terminal
  /// The session into which the files go; nil to continue each file's own session or make a new one.
  var destination: Session?
  private let meter: ImportMeter
  private(set) var report = ImportReport()
  /// The file and preview of each session in the report.
  private(set) var sources: [Source] = []
  /// Whether something that the person named could not be imported.
  private(set) var hasFailed = false

  /// Creates an import.
  ///
  /// - Parameters:
  ///   - format: The name of the files' format; nil to detect it from the content.
  ///   - terminal: The terminal for standard input and progress.
  ///   - makesStore: Whether opening the store makes it.
  ///   - open: Opens the store for the import.
  init(
    format: String?, terminal: Terminal, makesStore: Bool,
    opening open: @escaping () async throws -> Store
  ) {
    self.open = open
    self.makesStore = makesStore
    self.format = format
    self.terminal = terminal
    meter = ImportMeter(terminal)
  }

  /// The origin of a session in the report.
  struct Source {
    /// The name of the file as the person gave it, or as it was found in a folder.
    let file: String
    /// The beginning of the first prompt, for a session without a title.
    let preview: String?
  }

  /// Returns the store, and opens it at the first call.
  mutating func opened() async throws -> Store {
    if let store { return store }
    let new = try await open()
    store = new
    return new
  }

  func close() async { await store?.close() }

  /// Indexes the imported entries, so that the first search does not wait for that.
  func index() async throws {
    guard let store, report.sessions.contains(where: { $0.added + $0.revised > 0 }) else { return }
    do {
      try await store.indexForSearch(progress: IndexingMeter(terminal).told)
    } catch is KeepsakeError {
      // Others may be writing, or the disk may be full. The import is complete, and a search reads entries that are not
      // indexed.
    }
    try terminal.progress("")
  }

  /// Takes in the files that calls of the imported sessions made, from folders that the person named.
  mutating func takeFiles(from folders: [URL]) async throws -> TakenFiles {
    var taken = TakenFiles()
    if report.sessions.isEmpty { return taken }
    let store = try await opened()
    var seen: Set<UUID> = []
    for session in report.sessions where seen.insert(session.id).inserted {
      taken.add(try await store.session(session.id).takeFiles(from: folders))
    }
    return taken
  }

  /// A file to be imported.
  private struct File {
    let path: String
    var isNamed = true
    var size: Int64 = 0
  }

  /// Imports files, and all files of folders; '-' is standard input.
  mutating func take(_ paths: [String]) async throws {
    try await take(paths.flatMap { filesToTake(at: $0) })
  }

  /// Imports what agents keep on this machine; a file without a session is no failure.
  mutating func take(_ agents: AgentFiles) async throws {
    for found in agents.found { report.skipped += found.files.unreadable }
    try await take(
      agents.found.flatMap(\.files.found).map { File(path: $0.path, isNamed: false, size: $0.size) }
    )
  }

  private mutating func take(_ files: [File]) async throws {
    meter.expect(files: files.count, bytes: files.reduce(0) { $0 + $1.size })
    for file in files {
      try await file.path == Self.input
        ? takeInput() : takeFile(file.path, size: file.size, isNamed: file.isNamed)
    }
    try terminal.progress("")
  }

  private static let input = "-"

  private mutating func filesToTake(at path: String) -> [File] {
    if path == Self.input { return [File(path: path)] }
    do throws(FileError) {
      let folder = try Directory(path: path)
      guard destination == nil else {
        skip(path, "Can't take the folder '\(path)' into a session. Name one file.", isNamed: true)
        return []
      }
      let files = FilesBelow(folder)
      report.skipped += files.unreadable
      return files.found.map { File(path: $0.path, isNamed: false, size: $0.size) }
    } catch {
      // A path that can't be read as a file either is reported at its turn.
      if error.code == .notDirectory || error.code == .notFound {
        return [File(path: path, size: Self.size(of: path))]
      }
      hasFailed = true
      report.skipped.append(.init(path: path, reason: error.told))
      return []
    }
  }

  /// Returns the size of a file for the progress; 0 if it can't be read.
  private static func size(of path: String) -> Int64 {
    FileStatus(path: path)?.size ?? 0
  }

  /// Imports standard input, which is first copied to a file, because formats are read twice.
  mutating func takeInput() async throws {
    // The folder is made only after the first input, so that nothing is left behind if the person gives up waiting.
    var piece = try terminal.input()
    let place = try PassingFolder(
      in: Directory(path: FileManager.default.temporaryDirectory.path))
    defer { place.remove() }
    let file = try NewFile("standard input", in: place.folder, mode: 0o600)
    while !piece.isEmpty {
      try Task.checkCancellation()
      try file.write(piece)
      piece = try terminal.input()
    }
    try file.finish()
    let path = place.folder.path(of: "standard input")
    try await takeFile(path, as: "standard input", size: 0, isNamed: true)
  }

  /// Imports one file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - name: The name of the file for the person; nil for the path.
  ///   - size: The size of the file, for the progress.
  ///   - isNamed: Whether the person named the file itself.
  private mutating func takeFile(
    _ path: String, as name: String? = nil, size: Int64, isNamed: Bool
  ) async throws {
    let url = URL(filePath: path)
    let name = name ?? path
    try meter.begin(name, size)
    /// Replaces the path in a message with the name that the person gave.
    func plain(_ reason: String) -> String { reason.replacing("'\(url.path)'", with: "'\(name)'") }
    do {
      guard let (report, found) = try await take(path, as: name, isNamed: isNamed) else { return }
      var taken = report
      taken.skipped = taken.skipped.map { skipped in
        .init(
          path: skipped.path, line: skipped.line, reason: plain(skipped.reason),
          isKept: skipped.isKept)
      }
      sources += found
      self.report.add(taken)
    } catch let error as FormatError {
      skip(name, plain(error.told), isNamed: isNamed)
    } catch let error as KeepsakeError where error.isAboutFile {
      skip(name, plain(error.told), isNamed: isNamed)
    }
  }

  /// Imports one file if it contains something.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - name: The name of the file for the person.
  ///   - isNamed: Whether the person named the file itself.
  /// - Returns: The report with the origin of each session; nil for a file that is not to be imported.
  private mutating func take(_ path: String, as name: String, isNamed: Bool) async throws
    -> (ImportReport, [Source])?
  {
    if !makesStore { _ = try await opened() }
    if destination == nil, let store {
      let known = try await store.knownFile(at: path, as: name, format: format)
      if let known { return (known, try await Self.sources(of: known, in: name, store)) }
    }
    let progress = ImportProgress(meter.told)
    let files = try ImportFiles(at: path, as: name, progress: progress)
    defer { files.remove() }
    // A person who names a folder does not mean each image in it.
    if !isNamed, format == nil, try files.isMedia() { return nil }
    if self.store == nil { try files.requireReadable(as: format) }
    let store = try await opened()
    var found: [Source] = []
    let taken = try await store.importFiles(
      files, format: format, into: destination, progress: progress
    ) { name, part in found += try await Self.sources(of: part, in: name, store) }
    return (taken, found)
  }

  private static func sources(of report: ImportReport, in file: String, _ store: Store) async throws
    -> [Source]
  {
    var sources: [Source] = []
    for session in report.sessions {
      let preview =
        session.title == nil ? try await store.session(session.id).summary().preview : nil
      sources.append(Source(file: file, preview: preview))
    }
    return sources
  }

  private mutating func skip(_ path: String, _ reason: String, isNamed: Bool) {
    hasFailed = hasFailed || isNamed
    report.skipped.append(.init(path: path, reason: reason))
  }
}
