#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake
import KeepsakeFormats

/// An import of several files under way.
struct Importing {
  /// Opens the store. Where there is nothing to import none is opened, and so none is made.
  private let open: () async throws -> Store
  /// Whether the import makes the store. A file that can't be read is not to leave a new store behind, so the first one is
  /// read to its end before.
  private let makesStore: Bool
  private var store: Store?
  let format: String?
  let terminal: Terminal
  /// The session that files are taken into; nil where each goes to the one that it continues, or becomes one.
  var destination: Session?
  private let meter: ImportMeter
  private(set) var report = ImportReport()
  /// From where each session of the report is, and what it begins with.
  private(set) var sources: [Source] = []
  /// Whether something that was named could not be taken over.
  private(set) var hasFailed = false

  /// - Parameters:
  ///   - open: Opens the store that it goes to.
  ///   - format: The name of the files' format; nil to go by what their content shows.
  ///   - terminal: Where standard input and progress are.
  ///   - makesStore: Whether there is no store yet where it is opened.
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

  /// Where a session of a report comes from.
  struct Source {
    /// As the person named it, or as it was found in a folder.
    let file: String
    /// The beginning of its first prompt, where it has no title.
    let preview: String?
  }

  /// The store, opened now if it was not before.
  mutating func opened() async throws -> Store {
    if let store { return store }
    let new = try await open()
    store = new
    return new
  }

  func close() async { await store?.close() }

  /// Makes what was added ready to be searched, so that the first search does not wait for it.
  func index() async throws {
    guard let store, report.sessions.contains(where: { $0.added + $0.revised > 0 }) else { return }
    do {
      try await store.indexForSearch(progress: IndexingMeter(terminal).told)
    } catch is KeepsakeError {
      // Others may be writing, or the disk be full. All of it is taken over, and search reads what is not indexed.
    }
    try terminal.progress("")
  }

  /// Takes in the files that the calls of the imported sessions made, from folders that the person named.
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

  /// A file to be taken over.
  private struct File {
    let path: String
    var isNamed = true
    var size: Int64 = 0
  }

  /// Takes over files, and all files of folders; '-' is standard input.
  mutating func take(_ paths: [String]) async throws {
    try await take(paths.flatMap { filesToTake(at: $0) })
  }

  /// Takes over what programs keep on this machine. Not all of their files say something, so none of them fails it.
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
      // What can't be read as a file either is told when it is its turn.
      if error.code == .notDirectory || error.code == .notFound {
        return [File(path: path, size: Self.size(of: path))]
      }
      hasFailed = true
      report.skipped.append(.init(path: path, reason: error.told))
      return []
    }
  }

  /// As far as it can be told; it is for progress alone.
  private static func size(of path: String) -> Int64 {
    FileStatus(path: path)?.size ?? 0
  }

  /// Takes over what stands on standard input; formats are read twice, so it is put aside first.
  mutating func takeInput() async throws {
    // Until something comes there is nothing to be left behind by who gives up waiting.
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

  /// - Parameters:
  ///   - path: Where the file is.
  ///   - name: What the person calls it; nil where that is its path.
  ///   - size: How many bytes of the whole import it is.
  ///   - isNamed: Whether the person named the file itself.
  private mutating func takeFile(
    _ path: String, as name: String? = nil, size: Int64, isNamed: Bool
  ) async throws {
    let url = URL(filePath: path)
    let name = name ?? path
    try meter.begin(name, size)
    /// What is said of a file says its name as it was given, and once.
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

  /// - Returns: What was taken, and from where each session of it is; nil where the file is nothing to be taken.
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
    // Whoever names a folder does not mean each image in it.
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
