#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
package import Keepsake

/// Follows the folders in which programs keep conversations, and imports each record once it is complete.
///
/// The files are read and never changed. An event of the system is only a hint to look at a file: what is imported
/// depends on the file itself, compared with the store. So missed events, and being killed at any time, only delay an
/// import.
package struct AgentWatch: Sendable {
  /// A report of the watch.
  package enum News: Sendable {
    /// A number of files changed and have not been looked at yet.
    case behind(files: Int)
    /// All files in the folders were looked at.
    case looked(files: Int)
    /// New records of a file were imported.
    case took(path: String, ImportReport)
    /// A file can't be imported as it is. It is looked at again when it changes.
    case skipped(path: String, reason: String)
    /// The store can't be written to at the moment. The import is tried again until it succeeds.
    case waits(reason: String)
    /// The store can be written to again.
    case goesOn
  }

  private let store: Store
  private let places: [AgentPlace]

  /// The time to wait for further events after one, because programs write a few records at a time.
  private static let gathering: Duration = .milliseconds(30)
  /// The time that a file has to rest before it is imported, where it is not written line by line.
  private static let resting: Duration = .seconds(2)
  /// The time after which all folders are looked at, in case the system missed a change.
  private static let looking: Duration = .seconds(15 * 60)
  /// The time after which folders are looked at of which the system does not report all changes.
  private static let lookingWhereUntold: Duration = .seconds(120)
  /// The first and the longest pause before a write to the store is tried again.
  private static let patience: (first: Duration, last: Duration) = (.seconds(1), .seconds(60))

  package init(_ places: [AgentPlace], into store: Store) {
    self.store = store
    self.places = places.map { place in
      AgentPlace(
        program: place.program, folder: FileStatus.resolvedPath(place.folder) ?? place.folder,
        endings: place.endings)
    }
  }

  /// Imports what is there, and then what is added, until the task is cancelled.
  /// - Parameter tell: Is told what happens; what it throws ends the watch.
  /// - Throws: `CancellationError`, when the task is cancelled; `KeepsakeError`, when the store can no longer be
  ///   written to, or was replaced by another.
  package func run(_ tell: (News) async throws -> Void) async throws {
    let inbox = WatchInbox()
    let events = try FolderEvents(below: places.map(\.folder)) { inbox.add($0) }
    let all = places.map { FolderEvents.Event.look($0.folder) }
    inbox.add(all)
    let clock = Task {
      var untold = 0
      while true {
        try await Task.sleep(for: Self.lookingWhereUntold)
        untold += 1
        if untold % Int(Self.looking / Self.lookingWhereUntold) == 0 {
          inbox.add(all)
        } else if !events.untold.isEmpty {
          inbox.add(events.untold.map { .look($0) })
        }
      }
    }
    defer {
      clock.cancel()
      events.stop()
    }
    var work = WatchWork(store: store, places: places, inbox: inbox)
    for await _ in inbox.wakes {
      try await Task.sleep(for: Self.gathering)
      try await work.take(inbox.empty(), tell)
    }
    try Task.checkCancellation()
  }

  /// The work on the events that were gathered between two pauses.
  private struct WatchWork {
    let store: Store
    let places: [AgentPlace]
    let inbox: WatchInbox
    private let followed = FollowedFiles()
    /// The state of each file when it was last imported, and whether any later change would show in that state.
    ///
    /// The times of a file that was just written to may stay the same when it is written to again.
    private var seen: [String: (standing: Standing, isSettled: Bool)] = [:]
    /// The number of times in a row that a file changed while it was read.
    private var refused: [String: Int] = [:]
    private static let tries = 8

    init(store: Store, places: [AgentPlace], inbox: WatchInbox) {
      self.store = store
      self.places = places
      self.inbox = inbox
    }

    private struct Standing: Equatable {
      let size: Int64
      let modified: Int64
      let changed: Int64
      let inode: UInt64

      init(_ status: FileStatus) {
        size = status.size
        modified = status.modified
        changed = status.changed
        inode = status.inode
      }

      /// Returns whether the file has not been written to for a while. A time in the future counts as old, because the clock
      /// may have been set back.
      func rests(at now: Date) -> Bool {
        let age = now.timeIntervalSince1970 - Double(modified) / 1e9
        return age < 0 || age > Double(AgentWatch.resting.components.seconds)
      }
    }

    mutating func take(_ events: [FolderEvents.Event], _ tell: (News) async throws -> Void)
      async throws
    {
      var files: [String] = []
      var known: Set<String> = []
      var looks = false
      for event in events {
        switch event {
        case .changed(let path):
          if let path = Self.followed(path, in: places), known.insert(path).inserted {
            files.append(path)
          }
        case .look(let folder):
          looks = looks || places.contains { $0.folder == folder }
          for path in found(in: folder) where known.insert(path).inserted { files.append(path) }
        }
      }
      // From time to time each file is compared as a whole again.
      if looks { followed.forget() }
      if files.count > 1 { try await tell(.behind(files: files.count)) }
      for path in files { try await take(path, tell) }
      if files.count > 1 { try await tell(.behind(files: 0)) }
      if looks {
        try await tell(.looked(files: seen.count))
        RestingMemory.giveBack()
      }
    }

    /// The followed file that a change belongs to; nil where no followed file changed.
    private static func followed(_ path: String, in places: [AgentPlace]) -> String? {
      // A database is first written to files beside it, so a change of one of those counts for the database.
      // allow(database-file): names, to tell whose they are
      let beside = ["-wal", "-journal"].first { path.hasSuffix($0) }
      let path = beside.map { String(path.dropLast($0.count)) } ?? path
      let isFollowed = places.contains { place in
        path.hasPrefix(place.folder + "/") && place.endings.contains { path.hasSuffix($0) }
      }
      return isFollowed ? path : nil
    }

    private func found(in folder: String) -> [String] {
      let endings = places.filter { place in
        folder == place.folder || folder.hasPrefix(place.folder + "/")
      }.flatMap(\.endings)
      guard !endings.isEmpty, let directory = try? Directory(path: folder) else { return [] }
      return FilesBelow(directory, endings: endings).found.map(\.path)
    }

    private mutating func take(_ path: String, _ tell: (News) async throws -> Void) async throws {
      var pause = AgentWatch.patience.first
      var waits = false
      while true {
        guard let status = FileStatus(path: path), status.isRegular else {
          // A deleted file's conversation stays in the store.
          seen[path] = nil
          break
        }
        let standing = Standing(status)
        if let last = seen[path], last.standing == standing, last.isSettled { break }
        let rests = standing.rests(at: Date())
        let isLineByLine = path.hasSuffix(".jsonl")
        if !isLineByLine, !rests {
          inbox.add([.changed(path)], after: AgentWatch.resting)
          break
        }
        do {
          let report = try await store.takeFollowed(path, isLineByLine: isLineByLine, followed)
          seen[path] = (standing, isSettled: rests)
          refused[path] = nil
          let isNew = report?.sessions.contains { $0.new || $0.added + $0.revised > 0 } ?? false
          if let report, isNew { try await tell(.took(path: path, report)) }
          break
        } catch let error as KeepsakeError where Self.passes(error) {
          if !waits { try await tell(.waits(reason: error.message)) }
          waits = true
          try await Task.sleep(for: pause)
          pause = min(pause * 2, AgentWatch.patience.last)
        } catch let error as KeepsakeError where error.isAboutFile {
          try await skip(path, standing, error.message, isChanging: error.code == .refused, tell)
          break
        } catch let error as FormatError {
          try await skip(path, standing, error.message, isChanging: error.code == .changed, tell)
          break
        }
      }
      if waits { try await tell(.goesOn) }
    }

    /// Returns whether an error may pass: the disk is full, or other processes write for a long time.
    private static func passes(_ error: KeepsakeError) -> Bool {
      error.code == .diskFull || error.code == .locked || error.code == .inputOutput
    }

    private mutating func skip(
      _ path: String, _ standing: Standing, _ reason: String, isChanging: Bool,
      _ tell: (News) async throws -> Void
    ) async throws {
      let tries = refused[path, default: 0]
      if isChanging, tries < Self.tries {
        // Another program is writing to the file, so it is tried again soon.
        refused[path] = tries + 1
        inbox.add([.changed(path)], after: AgentWatch.gathering * (1 << tries))
        return
      }
      refused[path] = nil
      seen[path] = (standing, isSettled: true)
      try await tell(.skipped(path: path, reason: reason))
    }
  }
}

/// Passes events from the thread that receives them to the task that works on them.
private final class WatchInbox: Sendable {
  let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation
  private let waiting = Locked(Waiting())

  /// The events that wait, each once and in the order in which they first came: a file that is written to again and again
  /// is looked at once.
  private struct Waiting {
    var events: [FolderEvents.Event] = []
    var known: Set<FolderEvents.Event> = []
  }

  init() {
    (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func add(_ new: [FolderEvents.Event]) {
    waiting.withLock { waiting in
      for event in new where waiting.known.insert(event).inserted { waiting.events.append(event) }
    }
    wake.yield()
  }

  func add(_ new: [FolderEvents.Event], after pause: Duration) {
    Task {
      try await Task.sleep(for: pause)
      add(new)
    }
  }

  func empty() -> [FolderEvents.Event] {
    waiting.withLock { waiting in
      defer { waiting = Waiting() }
      return waiting.events
    }
  }
}

extension Store {
  /// Imports the new records of a file that a program may be writing to; nil where the file has no complete line yet.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - isLineByLine: Whether the file is written line by line, so that only complete lines are read.
  ///   - followed: The beginnings of followed files.
  fileprivate func takeFollowed(_ path: String, isLineByLine: Bool, _ followed: FollowedFiles)
    async throws -> ImportReport?
  {
    guard isLineByLine else { return try await importFile(at: URL(filePath: path)) }
    if let known = try await knownFile(at: path, as: path, format: nil) { return known }
    let file = try ForeignFile(path: path, isGrowing: true, followed: followed)
    return file.size == 0 ? nil : try await take(file, nil, nil)
  }
}
