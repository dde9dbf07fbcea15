import KeepsakeFiles
import KeepsakeSQLite

/// Looks every so often whether another process has changed the store, on a thread of its own.
final class Watch: Sendable {
  static let interval: Duration = .milliseconds(100)

  private let isStopped: Monitor<Bool>
  private let progress: Locked<Progress>
  private let thread: WorkerThread?

  private struct Progress {
    var polls = 0
    var hasEnded = false
  }

  /// Begins to look. Where the system gives no thread, changes of others are told only beside our own.
  init(_ store: OpenStore) {
    let isStopped = Monitor(false)
    let progress = Locked(Progress())
    self.isStopped = isStopped
    self.progress = progress
    thread = try? WorkerThread(starting: "keepsake-watch") {
      Self.run(store, isStopped) { progress.withLock { $0.polls += 1 } }
      progress.withLock { $0.hasEnded = true }
    }
  }

  var polls: Int { progress.withLock { $0.polls } }
  var hasEnded: Bool { thread == nil || progress.withLock { $0.hasEnded } }

  /// Has it end soon.
  func stop() {
    isStopped.withLock { $0 = true }
    isStopped.signal()
  }

  /// Waits until it has ended and holds no file any more.
  func join() { thread?.join() }

  private static func run(
    _ store: OpenStore, _ isStopped: Monitor<Bool>, counting: () -> Void
  ) {
    var db: Connection?
    defer { db?.close() }
    var seen: Int64?
    while true {
      counting()
      do {
        let connection = try db ?? store.readers.makeConnection()
        db = connection
        let version = try connection.dataVersion()
        if version != seen || store.hub.isBehind {
          try store.reconcile(reading: connection)
          seen = version
        }
      } catch {
        // Looked at again in a moment: an observer has nobody to throw to, and the next call of the app's own says
        // what is wrong with the store.
      }
      let deadline = Instant.now.advanced(by: interval)
      if isStopped.wait(until: deadline, for: { $0 ? true : nil }) != nil { return }
    }
  }
}

extension OpenStore {
  /// Tells our observers what other processes did. Blocks; not from inside of a write.
  func reconcile(reading db: Connection) throws {
    if let writer {
      // Each of its transactions begins by looking; one with nothing in it costs no sync.
      try writer.writeBlocking { _ in }
    } else {
      try db.execute("BEGIN DEFERRED")
      do {
        try hub.reconcile(self, in: db)
        try db.execute("COMMIT")
      } catch {
        if db.isInTransaction { try db.execute("ROLLBACK") }
        throw error
      }
    }
  }
}
