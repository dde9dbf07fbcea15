#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import KeepsakeFiles
import Keepsake

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
