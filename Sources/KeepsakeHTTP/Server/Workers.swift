import KeepsakeFiles

/// The threads that answer requests. They are made when they are needed, and end when they are not.
final class Workers: Sendable {
  fileprivate struct State {
    var waiting: [Connection] = []
    var idle = 0
    var count = 0
    /// The numbers of workers that are not in use.
    var free: [Int]
    var isOver = false
  }

  private let state: Monitor<State>
  private static let patience = Duration.seconds(5)

  init(limit: Int) {
    state = Monitor(State(free: Array((0..<max(1, limit)).reversed())))
  }

  /// Has a connection served by the next worker that is free.
  func serve(_ connection: Connection, _ core: ServerCore) {
    let number = state.withLock { state -> Int? in
      if state.isOver { return nil }
      state.waiting.append(connection)
      guard state.idle < state.waiting.count, let number = state.free.popLast() else { return nil }
      state.count += 1
      return number
    }
    if let number { start(number, core) } else { state.signal() }
  }

  /// Has all workers end when they have nothing to do, and forgets the connections that wait for one.
  func end() {
    let forgotten = state.withLock { state -> [Connection] in
      state.isOver = true
      defer { state.waiting = [] }
      return state.waiting
    }
    _ = forgotten
    state.broadcast()
  }

  /// Waits until all threads have ended; false where the deadline passed before.
  func waitUntilEnded(_ deadline: Instant) -> Bool {
    state.wait(until: deadline) { $0.count == 0 ? true : nil } ?? false
  }

  private func start(_ number: Int, _ core: ServerCore) {
    do throws(FileError) {
      _ = try WorkerThread(starting: "keepsake-http-\(number)") {
        var worker = Worker(number: number, core: core)
        while let connection = self.next(number) { worker.serve(connection) }
      }
    } catch {
      // The system has no more threads. Those that are there take the connection, or it waits until one is.
      let left = state.withLock { state -> [Connection] in
        state.count -= 1
        state.free.append(number)
        if state.count > 0 { return [] }
        defer { state.waiting = [] }
        return state.waiting
      }
      _ = left
    }
  }

  /// The next connection to be served; nil where the thread is to end.
  private func next(_ number: Int) -> Connection? {
    state.withLock { $0.idle += 1 }
    let deadline = Instant.now.advanced(by: Self.patience)
    let found = state.wait(until: deadline) { state -> Connection?? in
      if state.waiting.isEmpty, !state.isOver { return nil }
      return .some(state.leave(number))
    }
    // A connection may have come after the deadline, and count on this thread.
    let (connection, isLast) = state.withLock { state -> (Connection?, Bool) in
      let connection = found ?? state.leave(number)
      return (connection, state.count == 0)
    }
    if isLast { state.broadcast() }
    return connection
  }
}

extension Workers.State {
  /// Ends the waiting of a thread: with a connection, or with nil for its end.
  fileprivate mutating func leave(_ number: Int) -> Connection? {
    idle -= 1
    if !waiting.isEmpty { return waiting.removeFirst() }
    count -= 1
    free.append(number)
    return nil
  }
}
