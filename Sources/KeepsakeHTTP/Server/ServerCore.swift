import KeepsakeFiles

/// The parts of a server that its threads share.
final class ServerCore: Sendable {
  let limits: HTTPLimits
  let handler: any HTTPHandler
  let register = ConnectionRegister()
  let workers: Workers
  let watch = HandlerWatch()
  let reception: Reception
  private let places: [HTTPListener]
  private let hosts: HTTPServer.Hosts
  private let ownFields: HTTPFields
  private let state = Locked(State())

  private struct State {
    var port: Int?
    var openPlaces: [String] = []
    /// The names under which requests are taken; nil for all.
    var names: Set<HTTPAuthority>? = []
    var hasStarted = false
    var isStopping = false
  }

  init(
    places: [HTTPListener], hosts: HTTPServer.Hosts, limits: HTTPLimits, ownFields: HTTPFields,
    handler: any HTTPHandler
  ) {
    self.places = places
    self.hosts = hosts
    self.limits = limits
    self.ownFields = ownFields
    self.handler = handler
    workers = Workers(limit: limits.threads)
    reception = Reception()
  }

  var port: Int? { state.withLock { $0.port } }
  var openPlaces: [String] { state.withLock { $0.openPlaces } }
  var isStopping: Bool { state.withLock { $0.isStopping } }

  func start() throws(FileError) {
    let isFirst = state.withLock { state in
      defer { state.hasStarted = true }
      return !state.hasStarted
    }
    precondition(isFirst, "A server starts once")
    var listeners: [SocketListener] = []
    for place in places { listeners += try place.listeners() }
    let names = names(of: listeners)
    state.withLock { state in
      state.port = listeners.first { $0.port != 0 }?.port
      state.openPlaces = listeners.map(\.place)
      state.names = names
    }
    try reception.start(listeners, self)
  }

  /// Returns whether a request may address this server by that name.
  func isOwn(_ authority: HTTPAuthority) -> Bool {
    state.withLock { $0.names?.contains(authority) ?? true }
  }

  /// Returns the answer that the server gives by itself, with the header fields that such answers have.
  func response(_ refusal: HTTPRefusal) -> HTTPResponse {
    var answer = handler.answer(to: refusal)
    answer.fields.fill(from: ownFields)
    // A browser must not take it for a page, whatever stands in it.
    answer.fields.fill(from: ["X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"])
    return answer
  }

  private func names(of listeners: [SocketListener]) -> Set<HTTPAuthority>? {
    guard case .own(let others) = hosts else { return nil }
    var names = Set(others.compactMap { HTTPAuthority($0) })
    for listener in listeners {
      if listener.port == 0 {
        names.insert(HTTPAuthority(host: "localhost", port: nil))
        continue
      }
      // A client leaves the usual port out.
      for port in listener.port == 80 ? [80, nil] : [listener.port] {
        names.insert(HTTPAuthority(host: "localhost", port: port))
        if let own = HTTPAuthority(listener.place) {
          names.insert(HTTPAuthority(host: own.host, port: port))
        }
      }
    }
    return names
  }

  /// Stops, and returns whether every answer was finished.
  func stop(within time: Duration) -> Bool {
    let deadline = Instant.now.advanced(by: time)
    guard beginToStop() else { return true }
    let isFinished = register.waitUntilEmpty(deadline)
    endNow()
    if !isFinished {
      // What was cut off notices soon; a handler that does not care about its cancellation is not waited for.
      let soon = Instant.now.advanced(by: .seconds(1))
      _ = register.waitUntilEmpty(soon)
      _ = workers.waitUntilEnded(soon)
    }
    // The places are free for the next server when its thread has ended.
    reception.waitUntilEnded(max(deadline, Instant.now.advanced(by: .seconds(1))))
    return isFinished
  }

  /// Stops without waiting for anything, as when nobody has the server any more.
  func abandon() { if beginToStop() { endNow() } }

  private func beginToStop() -> Bool {
    let hasStarted = state.withLock { state in
      state.isStopping = true
      return state.hasStarted
    }
    if hasStarted { reception.beginToStop() }
    return hasStarted
  }

  private func endNow() {
    // In this order, so that the answer of a task that was cancelled does not go out as if it were a whole one.
    register.endAll()
    watch.cancelAll()
    workers.end()
    reception.end()
  }
}

extension HTTPListener {
  /// The sockets that listen at this place.
  fileprivate func listeners() throws(FileError) -> [SocketListener] {
    switch self {
    case .address(let address, let port): return [try SocketListener(address: address, port: port)]
    case .unix(let path): return [try SocketListener(unixPath: path)]
    case .loopback(let port):
      var attempts = 0
      while true {
        attempts += 1
        let four = try SocketListener(address: "127.0.0.1", port: port)
        do throws(FileError) {
          return [four, try SocketListener(address: "::1", port: four.port)]
        } catch {
          // A machine without IPv6 has no such address.
          if error.code == .notFound { return [four] }
          // Where any port will do, another one is free on both.
          if port != 0 || attempts == 16 { throw error }
        }
      }
    }
  }
}
