import KeepsakeFiles

/// What the reception's thread knows: the listeners, and the connections that wait.
struct WaitingRoom {
  private let core: ServerCore
  private let wakeUp: WakeUp
  private var listeners: [SocketListener]
  private var connections: [Connection] = []
  private var readiness = Readiness()
  private var isStopping = false
  /// The moment until which no client is taken, since the system has no room for one.
  private var pausedUntil: Instant?
  /// The moment of the next sign of life on event streams, all at once; nil where there is no stream.
  private var heartbeat: Instant?

  init(listeners: [SocketListener], wakeUp: WakeUp, core: ServerCore) {
    self.listeners = listeners
    self.wakeUp = wakeUp
    self.core = core
  }

  /// Waits until something happens, and serves it; false when the server is over.
  mutating func waitAndServe() -> Bool {
    let news = core.reception.look()
    if news.isOver {
      for connection in connections + news.connections {
        if case .events(let stream, _, _) = connection.phase { stream.finish(.serverStopped) }
      }
      return false
    }
    if news.isStopping, !isStopping { beginToStop() }
    for connection in news.connections { admit(connection) }
    let first = prepare()
    readiness.wait(until: deadline())
    if readiness.isReady(0) { wakeUp.clear() }
    core.watch.look()
    let now = Instant.now
    let isBeat = heartbeat.map { $0 <= now } ?? false
    if isBeat { heartbeat = nil }
    serve(from: first, now: now, isBeat: isBeat)
    takeClients(now)
    return true
  }

  /// Lists what is awaited; returns the place of the first connection.
  private mutating func prepare() -> Int {
    readiness.removeAll()
    readiness.add(wakeUp)
    if pausedUntil == nil { for listener in listeners { readiness.add(listener) } }
    for connection in connections {
      var (reading, writing) = (true, false)
      switch connection.phase {
      case .head, .ending: break
      case .sending: (reading, writing) = (false, true)
      case .events(_, let bytes, _): writing = !bytes.isEmpty
      }
      readiness.add(connection.socket, reading: reading, writing: writing)
    }
    return 1 + (pausedUntil == nil ? listeners.count : 0)
  }

  private func deadline() -> Instant? {
    var earliest: Instant?
    func consider(_ moment: Instant?) {
      if let moment { earliest = min(moment, earliest ?? moment) }
    }
    consider(pausedUntil)
    consider(heartbeat)
    consider(core.watch.deadline)
    for connection in connections { consider(connection.deadline) }
    return earliest
  }

  /// Serves the connections for which something happened, or whose time is over.
  private mutating func serve(from first: Int, now: Instant, isBeat: Bool) {
    let waiting = connections
    connections = []
    for (index, connection) in waiting.enumerated() {
      let isReady = readiness.isReady(first + index)
      let isLate = connection.deadline.map { $0 <= now } ?? false
      var stays = true
      switch connection.phase {
      case .events: stays = EventSending(core: core, now: now).serve(connection, isReady, isBeat)
      case .head where isReady: stays = receive(connection)
      case .head where isLate: stays = giveUp(connection)
      case .sending where isReady || isLate:
        core.workers.serve(connection, core)
        stays = false
      case .ending(let rest) where isReady: stays = drain(connection, rest)
      case .ending where isLate: stays = false
      case .head, .sending, .ending: break
      }
      guard stays else { continue }
      connections.append(connection)
      if case .events = connection.phase, heartbeat == nil {
        heartbeat = now.advanced(by: core.limits.heartbeat)
      }
    }
  }
}

extension WaitingRoom {
  /// Takes a connection that a worker has handed over.
  private mutating func admit(_ connection: Connection) {
    let now = Instant.now
    connection.since = now
    switch connection.phase {
    case .head:
      if isStopping, !connection.parser.hasBegun { return }
      let time = connection.parser.hasBegun ? core.limits.headTime : core.limits.idleTime
      connection.deadline = now.advanced(by: time)
    case .sending: connection.deadline = connection.outgoing?.gate.deadline
    case .events(let stream, _, _):
      let reception = core.reception
      // A stream that two connections have would give each a part.
      guard stream.attach({ reception.wake() }) else { return }
      connection.deadline = nil
      if isStopping { stream.finish(.serverStopped) }
      guard EventSending(core: core, now: now).serve(connection, false, false) else { return }
      if heartbeat == nil { heartbeat = now.advanced(by: core.limits.heartbeat) }
    case .ending:
      connection.deadline = now.advanced(by: isStopping ? .milliseconds(200) : .seconds(2))
    }
    connections.append(connection)
  }

  /// Receives a part of a request; returns whether the connection waits on.
  private func receive(_ connection: Connection) -> Bool {
    let hadBegun = connection.parser.hasBegun
    switch connection.socket.receive(into: &connection.input, limit: 16 << 10) {
    case .wouldWait: return true
    case .ended: return false
    case .moved: break
    }
    do throws(HTTPRefusal) {
      guard try connection.takeHead(limits: core.limits) else {
        if !hadBegun { connection.deadline = Instant.now.advanced(by: core.limits.headTime) }
        return true
      }
    } catch {
      refuse(connection, error)
    }
    core.workers.serve(connection, core)
    return false
  }

  /// Ends the waiting for a request; returns whether the connection waits on.
  private func giveUp(_ connection: Connection) -> Bool {
    guard connection.parser.hasBegun else { return false }
    refuse(connection, HTTPRefusal(.requestTimeout, "The header came too slowly."))
    core.workers.serve(connection, core)
    return false
  }

  private func refuse(_ connection: Connection, _ refusal: HTTPRefusal) {
    var heads = ResponseHead(limits: core.limits)
    connection.outgoing = heads.outgoing(core.response(refusal), to: nil, closes: true)
  }

  /// Throws away what a client still sends after the last answer. Closing at once would make the system throw away the
  /// answer as well, before the client has read it.
  private func drain(_ connection: Connection, _ rest: Int) -> Bool {
    var bytes: [UInt8] = []
    switch connection.socket.receive(into: &bytes, limit: 64 << 10) {
    case .ended: return false
    case .wouldWait: return true
    case .moved(let count):
      connection.phase = .ending(rest - count)
      return rest > count
    }
  }

  // MARK: Clients

  private mutating func takeClients(_ now: Instant) {
    if let paused = pausedUntil {
      if paused <= now { pausedUntil = nil }
      return
    }
    for (index, listener) in listeners.enumerated() where readiness.isReady(1 + index) {
      do throws(FileError) {
        // Not all of a crowd at once, so that those who are in are not forgotten.
        for _ in 0..<64 {
          guard let socket = try listener.accept() else { break }
          take(socket, now)
        }
      } catch {
        // The client waits in the system's queue, which makes the listener ready again and again.
        if !makeRoom() { pausedUntil = now.advanced(by: .milliseconds(100)) }
      }
    }
  }

  private mutating func take(_ socket: StreamSocket, _ now: Instant) {
    if core.register.count >= core.limits.connections, !makeRoom() {
      var heads = ResponseHead(limits: core.limits)
      let refusal = HTTPRefusal(.unavailable, "Too many connections are open. Try again later.")
      let answer = heads.outgoing(core.response(refusal), to: nil, closes: true)
      _ = answer.advance(socket) { _ in nil }
      socket.endSending()
      return
    }
    let connection = Connection(socket, limits: core.limits, register: core.register)
    connection.since = now
    connection.deadline = now.advanced(by: core.limits.idleTime)
    connections.append(connection)
  }

  /// Closes the connection that has waited longest for a request; false where there is none.
  private mutating func makeRoom() -> Bool {
    func rank(_ connection: Connection) -> Int? {
      switch connection.phase {
      case .ending: 0
      case .head: connection.parser.hasBegun ? 2 : 1
      case .sending, .events: nil
      }
    }
    let found = connections.indices.filter { rank(connections[$0]) != nil }.min { left, right in
      let (one, other) = (connections[left], connections[right])
      return (rank(one) ?? 0, one.since) < (rank(other) ?? 0, other.since)
    }
    guard let found else { return false }
    connections.remove(at: found)
    return true
  }

  private mutating func beginToStop() {
    isStopping = true
    listeners = []
    for connection in connections {
      if case .events(let stream, _, _) = connection.phase { stream.finish(.serverStopped) }
      if case .ending = connection.phase {
        connection.deadline = .now.advanced(by: .milliseconds(200))
      }
    }
    connections.removeAll { if case .head = $0.phase { true } else { false } }
  }
}
