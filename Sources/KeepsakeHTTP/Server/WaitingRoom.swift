import KeepsakeFiles

/// The knowledge of the reception's thread: the listeners, and the connections that wait.
struct WaitingRoom {
  let core: ServerCore
  private let wakeUp: WakeUp
  private(set) var listeners: [SocketListener]
  var connections: [Connection] = []
  private(set) var readiness = Readiness()
  private var isStopping = false
  /// The moment until which no client is taken, since the system has no room for one.
  var pausedUntil: Instant?
  /// The moment of the next sign of life on event streams, all at once; nil where there is no stream.
  private var heartbeat: Instant?

  init(listeners: [SocketListener], wakeUp: WakeUp, core: ServerCore) {
    self.listeners = listeners
    self.wakeUp = wakeUp
    self.core = core
  }

  /// Waits until something happens, and serves it; false when the server is over.
  mutating func waitAndServe() -> Bool {
    guard takeNews() else { return false }
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

  /// Takes what others have handed over; false when the server is over.
  ///
  /// It is a function of its own so that it keeps no connection while the thread waits.
  private mutating func takeNews() -> Bool {
    let news = core.reception.look()
    if news.isOver {
      for connection in connections + news.connections {
        if case .events(let stream, _, _) = connection.phase { stream.finish(.serverStopped) }
      }
      // Who stopped the server is told that it has ended when the places are free again.
      listeners = []
      return false
    }
    if news.isStopping, !isStopping { beginToStop() }
    for connection in news.connections { admit(connection) }
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
      guard stream.attach({ reception.wake() }) else {
        connection.phase = .ending(0)
        return
      }
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
