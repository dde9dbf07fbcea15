#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import KeepsakeFiles
package import Keepsake

/// The state of a watch: since when it runs, what it imported, what it waits for, and which files it skipped.
package struct WatchState: Codable, Sendable, Equatable {
  package struct Place: Codable, Sendable, Equatable {
    package let program: String
    package let folder: String
  }

  package struct Skipped: Codable, Sendable, Equatable {
    package let path: String
    package let reason: String
    package let time: Date
  }

  package struct Waiting: Codable, Sendable, Equatable {
    package let reason: String
    package let since: Date
  }

  package let process: Int32
  package let since: Date
  package let places: [Place]
  /// The number of files that the watch follows; nil until it has looked at all folders.
  package private(set) var files: Int?
  /// The number of changed files that are not looked at yet.
  package var behind = 0
  package private(set) var sessions = 0
  package private(set) var entries = 0
  package private(set) var artifacts = 0
  package private(set) var newest: Date?
  package private(set) var waiting: Waiting?
  /// The skipped files, the newest last.
  package private(set) var skipped: [Skipped] = []

  /// The number of skipped files that are remembered.
  private static let limit = 50

  package init(_ places: [AgentPlace], at now: Date) {
    process = ProcessNumber.current
    since = now
    self.places = places.map { Place(program: $0.program, folder: $0.folder) }
  }

  package mutating func add(_ news: AgentWatch.News, at now: Date) {
    switch news {
    case .behind(let files): behind = files
    case .looked(let files): self.files = files
    case .took(let path, let report):
      sessions += report.sessions.count(where: \.new)
      entries += report.sessions.reduce(0) { $0 + $1.added }
      artifacts += report.artifacts.new
      newest = now
      skipped.removeAll { $0.path == path }
    case .skipped(let path, let reason):
      skipped.removeAll { $0.path == path }
      skipped.append(Skipped(path: path, reason: reason, time: now))
      if skipped.count > Self.limit { skipped.removeFirst() }
    case .waits(let reason): waiting = Waiting(reason: reason, since: now)
    case .goesOn: waiting = nil
    }
  }
}

/// The files in a store's folder by which its only watch marks its presence and reports its state.
package struct WatchPost: Sendable {
  private let folder: String

  private static let lock = "watch.lock"
  private static let state = "watch.json"

  package init(_ store: Store) { folder = store.url.path }

  /// Takes the lock of the watch; nil where another watch holds it. The lock ends with the process, however that
  /// ends.
  package func take() throws -> FileLock? {
    let lock = try FileLock(path: "\(folder)/\(Self.lock)")
    return try lock.tryLock() ? lock : nil
  }

  /// Whether a watch holds the lock.
  package var isTaken: Bool {
    guard let lock = try? FileLock(existing: Self.lock, in: Directory(path: folder)) else {
      return false
    }
    guard (try? lock.tryLock(.shared)) == true else { return true }
    try? lock.unlock()
    return false
  }

  /// Writes the state of the watch; nothing is written where the disk is full.
  package func write(_ state: WatchState) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = try Array(encoder.encode(state))
    do throws(FileError) {
      let file = try NewFile(
        Self.state, in: Directory(path: folder), replacing: true, mode: 0o600)
      try file.write(text)
      try file.finish()
    } catch {
      guard error.code == .noSpace else { throw error }
    }
  }

  /// The state that the last watch wrote; nil where there was none, or it can't be read.
  package func read() -> WatchState? {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    guard let directory = try? Directory(path: folder),
      let file = try? directory.openFile(Self.state), let status = try? file.status(),
      status.size < 1 << 20
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.size))
    guard let count = try? file.read(into: &bytes, at: 0) else { return nil }
    return try? decoder.decode(WatchState.self, from: Data(bytes[..<count]))
  }
}
