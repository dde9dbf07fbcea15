#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
package import Keepsake

/// Follows the folders in which programs keep conversations, and takes in each record once it is complete.
///
/// It reads the files and changes none of them. What it is told of a folder is a hint to look; what it takes in is what it
/// finds there, compared with what the store has. So it makes no difference when it begins, how often it is killed, and
/// whether it was told of everything, but for how soon.
package struct AgentWatch: Sendable {
  /// What there is to tell of it.
  package enum News: Sendable {
    /// So many files changed, and are to be looked at.
    case behind(files: Int)
    /// All that stands in the folders has been looked at.
    case looked(files: Int)
    /// Something new of a file is in the store.
    case took(path: String, ImportReport)
    /// Nothing can be made of a file as it stands; it is looked at again when it changes.
    case skipped(path: String, reason: String)
    /// The store can't take anything in at the moment; it is tried again, over and over.
    case waits(reason: String)
    case goesOn
  }

  private let store: Store
  private let places: [AgentPlace]

  /// How long it waits for more, once something changed: programs write a few records at a time.
  private static let gathering: Duration = .milliseconds(30)
  /// How long a file has to rest that is not written line by line.
  private static let resting: Duration = .seconds(2)
  /// How often all is looked at, in case the system did not tell of a change.
  private static let looking: Duration = .seconds(15 * 60)
  /// The same for folders of which the system does not tell everything.
  private static let lookingWhereUntold: Duration = .seconds(120)
  /// How long to wait until the store is tried again, at first and at most.
  private static let patience: (first: Duration, last: Duration) = (.seconds(1), .seconds(60))

  package init(_ places: [AgentPlace], into store: Store) {
    self.store = store
    self.places = places.map { place in
      AgentPlace(
        program: place.program, folder: FileStatus.resolvedPath(place.folder) ?? place.folder,
        endings: place.endings)
    }
  }

  /// Takes in what is there and then what comes, until its task is cancelled.
  /// - Parameter tell: Is told what happens; what it throws ends the watch.
  /// - Throws: Where the store can't be written to any more, or was replaced by another.
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

  /// The work between one moment of rest and the next.
  private struct WatchWork {
    let store: Store
    let places: [AgentPlace]
    let inbox: WatchInbox
    private let hashes = FollowedHashes()
    /// The files as they stood when they were taken in.
    private var seen: [String: Standing] = [:]
    /// How often in a row files were read while they changed.
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

      /// Whether nobody wrote to it for a while; the clock may have been set back.
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
      // After a while of rest each file is compared as a whole again.
      if looks { hashes.forget() }
      if files.count > 1 { try await tell(.behind(files: files.count)) }
      for path in files { try await take(path, tell) }
      if files.count > 1 { try await tell(.behind(files: 0)) }
      if looks {
        try await tell(.looked(files: seen.count))
        RestingMemory.giveBack()
      }
    }

    /// The file that a change is one of; nil where nobody follows it.
    private static func followed(_ path: String, in places: [AgentPlace]) -> String? {
      // What a database is given stands in files beside it first.
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
          // What is deleted there stays here.
          seen[path] = nil
          break
        }
        let standing = Standing(status)
        if seen[path] == standing { break }
        let isLineByLine = path.hasSuffix(".jsonl")
        if !isLineByLine, !standing.rests(at: Date()) {
          inbox.add([.changed(path)], after: AgentWatch.resting)
          break
        }
        do {
          let report = try await store.takeFollowed(path, isLineByLine: isLineByLine, hashes)
          seen[path] = standing
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

    /// Whether an error is of the moment: the disk is full, or others write for long.
    private static func passes(_ error: KeepsakeError) -> Bool {
      error.code == .diskFull || error.code == .locked || error.code == .inputOutput
    }

    private mutating func skip(
      _ path: String, _ standing: Standing, _ reason: String, isChanging: Bool,
      _ tell: (News) async throws -> Void
    ) async throws {
      let tries = refused[path, default: 0]
      if isChanging, tries < Self.tries {
        // Somebody writes to it just now.
        refused[path] = tries + 1
        inbox.add([.changed(path)], after: AgentWatch.gathering * (1 << tries))
        return
      }
      refused[path] = nil
      seen[path] = standing
      try await tell(.skipped(path: path, reason: reason))
    }
  }
}

/// What is to be looked at, from the thread that is told of it to the task that does.
private final class WatchInbox: Sendable {
  let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation
  private let events = Locked<[FolderEvents.Event]>([])

  /// Above so many, each file is found by looking.
  private static let limit = 10_000

  init() {
    (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func add(_ new: [FolderEvents.Event]) {
    events.withLock { events in
      // A file that is written to often waits once.
      for event in new where events.last != event { events.append(event) }
      if events.count > Self.limit { events = Array(Set(events)) }
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
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}

extension Store {
  /// Takes over what is new of a file that somebody may be writing to; nil where there is nothing complete in it yet.
  /// - Parameters:
  ///   - path: Where it is.
  ///   - isLineByLine: Whether it is written so, and lines count that are at their end.
  ///   - hashes: What is known of the beginnings of files.
  fileprivate func takeFollowed(_ path: String, isLineByLine: Bool, _ hashes: FollowedHashes)
    async throws -> ImportReport?
  {
    guard isLineByLine else { return try await importFile(at: URL(filePath: path)) }
    if let known = try await knownFile(at: path, as: path, format: nil) { return known }
    let file = try ForeignFile(path: path, isGrowing: true, followed: hashes)
    return file.size == 0 ? nil : try await take(file, nil, nil)
  }
}
