import KeepsakeFiles

/// The thread that waits for everything that waits: new clients, requests, room to send, and events.
///
/// It sleeps for as long as nothing happens. Others hand connections to it, and it gives them to a worker when there is
/// something to do.
final class Reception: Sendable {
  struct Inbox {
    var connections: [Connection] = []
    var listeners: [SocketListener] = []
    var isStopping = false
    var isOver = false
    var hasEnded = false
    var wakeUp: WakeUp?
  }

  private let inbox = Monitor(Inbox())

  /// Starts the thread, which from now on has the listeners.
  func start(_ listeners: [SocketListener], _ core: ServerCore) throws(FileError) {
    let wakeUp = try WakeUp()
    inbox.withLock { inbox in
      inbox.wakeUp = wakeUp
      inbox.listeners = listeners
    }
    _ = try WorkerThread(starting: "keepsake-http") {
      // The listeners are taken out, and not captured, so that they close when the room lets go of them.
      var room = WaitingRoom(
        listeners: core.reception.takeListeners(), wakeUp: wakeUp, core: core)
      while room.waitAndServe() {}
      core.reception.hasEnded()
    }
  }

  private func takeListeners() -> [SocketListener] {
    inbox.withLock { inbox in
      defer { inbox.listeners = [] }
      return inbox.listeners
    }
  }

  /// Takes a connection that has to wait.
  func take(_ connection: Connection) {
    let wakeUp = inbox.withLock { inbox in
      // Nobody is there any more who would close it.
      if !inbox.hasEnded { inbox.connections.append(connection) }
      return inbox.wakeUp
    }
    wakeUp?.wake()
  }

  /// Has the thread look at what is new.
  func wake() { inbox.withLock { $0.wakeUp }?.wake() }

  /// The connections that were handed over, and how the server is to go on.
  func look() -> (connections: [Connection], isStopping: Bool, isOver: Bool) {
    inbox.withLock { inbox in
      defer { inbox.connections = [] }
      return (inbox.connections, inbox.isStopping, inbox.isOver)
    }
  }

  /// Closes the listeners and the connections that have no request, and ends event streams.
  func beginToStop() {
    inbox.withLock { $0.isStopping = true }
    wake()
  }

  /// Ends the thread, whatever waits.
  func end() {
    inbox.withLock { $0.isOver = true }
    wake()
  }

  private func hasEnded() {
    let left = inbox.withLock { inbox -> [Connection] in
      inbox.hasEnded = true
      inbox.wakeUp = nil
      defer { inbox.connections = [] }
      return inbox.connections
    }
    _ = left
    inbox.broadcast()
  }

  func waitUntilEnded(_ deadline: Instant) {
    _ = inbox.wait(until: deadline) { $0.hasEnded ? true : nil }
  }
}
