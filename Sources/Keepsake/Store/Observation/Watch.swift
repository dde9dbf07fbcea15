import KeepsakeFiles

/// Looks regularly, on a thread of its own, whether another process has changed the store.
final class Watch: Sendable {
  static let interval: Duration = .milliseconds(100)

  private let isStopped: Monitor<Bool>
  private let progress: Locked<Progress>
  private let thread: WorkerThread?

  /// The number of looks so far, and whether the thread has ended.
  private struct Progress {
    var polls = 0
    var hasEnded = false
  }

  /// Starts the thread. If the system has no thread left, changes of other processes are noticed only with our own writes.
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

  /// Tells the thread to end soon, without waiting for it.
  func stop() {
    isStopped.withLock { $0 = true }
    isStopped.signal()
  }

  /// Waits until the thread has ended and has closed its files.
  func join() { thread?.join() }

  private static func run(
    _ store: OpenStore, _ isStopped: Monitor<Bool>, counting: () -> Void
  ) {
    var db: WatchConnection?
    defer { db?.close() }
    var seen: Int64?
    while true {
      counting()
      do {
        let connection = try db ?? WatchConnection(store.database)
        db = connection
        let version = try connection.dataVersion()
        if version != seen || store.observers.isBehind {
          try store.reconcile(reading: connection)
          seen = version
        }
      } catch {
        // The next look comes soon. An observer has nobody to throw to, and the app's next call throws what is wrong with the
        // store.
      }
      let deadline = Instant.now.advanced(by: interval)
      if isStopped.wait(until: deadline, for: { $0 ? true : nil }) != nil { return }
    }
  }
}

extension OpenStore {
  /// Publishes the changes of other processes. Blocks, and must not be called inside of a write.
  func reconcile(reading db: WatchConnection) throws {
    if database.isWritable {
      // Every write transaction begins with a look, and an empty one costs no sync.
      try database.writeNothing()
    } else {
      try db.read { try observers.reconcile(self, in: $0) }
    }
  }
}
