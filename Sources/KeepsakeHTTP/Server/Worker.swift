import KeepsakeFiles

/// Answers the requests of one connection after the other, on a thread of its own.
struct Worker {
  private let number: Int
  private let core: ServerCore
  private let thread = HandlerThread()
  private var heads: ResponseHead

  /// The time for which a connection without a request keeps its thread, since the next request often comes at once.
  private static let pause = Duration.milliseconds(10)

  init(number: Int, core: ServerCore) {
    self.number = number
    self.core = core
    heads = ResponseHead(limits: core.limits)
  }

  /// Goes on with a connection until it has to wait for its client. Then the reception has it, or it is closed.
  mutating func serve(_ connection: Connection) {
    while true {
      if let outgoing = connection.outgoing {
        guard goOn(with: outgoing, connection) else { return }
      }
      guard next(connection) else { return }
    }
  }

  /// Sends an answer; returns whether the connection is ready for the next request.
  private func goOn(with outgoing: Outgoing, _ connection: Connection) -> Bool {
    while true {
      let progress = outgoing.advance(connection.socket) { next in
        try watched(connection.socket) { () async -> Result<[UInt8]?, any Error> in
          do { return .success(try await next()) } catch { return .failure(error) }
        }.get()
      }
      switch progress {
      case .failed: return false
      case .stalled:
        let deadline = Instant.now.advanced(by: Self.pause)
        if Readiness.wait(for: connection.socket, reading: false, writing: true, until: deadline) {
          continue
        }
        connection.phase = .sending
        core.reception.take(connection)
        return false
      case .done: break
      }
      connection.outgoing = nil
      if case .events(let stream) = outgoing.content {
        connection.phase = .events(stream, [], sent: 0)
        core.reception.take(connection)
        return false
      }
      guard outgoing.closes else { return true }
      connection.socket.endSending()
      connection.phase = .ending(1 << 20)
      core.reception.take(connection)
      return false
    }
  }

  /// Gets the next request and its answer ready; false where the connection is elsewhere or closed.
  private mutating func next(_ connection: Connection) -> Bool {
    var head: HTTPRequestHead?
    do throws(HTTPRefusal) {
      if connection.head == nil, try !receiveHead(connection) { return false }
      head = connection.head
      connection.head = nil
      guard let head else { return false }
      var (response, closes) = try answer(head, connection)
      if case .events(let stream) = response.body, !head.isHeadOnly {
        connection.isStream = core.register.addStream(limit: core.limits.eventStreams)
        if !connection.isStream {
          stream.finish(.serverStopped)
          response = core.response(
            HTTPRefusal(.unavailable, "Too many are listening. Try again later."))
        }
      }
      let isLast =
        closes || !head.keepsAlive || core.isStopping
        || connection.requests >= core.limits.requestsPerConnection
      connection.outgoing = heads.outgoing(response, to: head, closes: isLast)
    } catch {
      connection.outgoing = heads.outgoing(core.response(error), to: head, closes: true)
    }
    return true
  }

  /// Waits a moment for the next request; false where it has not come, and the connection is elsewhere.
  private func receiveHead(_ connection: Connection) throws(HTTPRefusal) -> Bool {
    if try connection.takeHead(limits: core.limits) { return true }
    if !connection.parser.hasBegun, !core.isStopping {
      let deadline = Instant.now.advanced(by: Self.pause)
      if Readiness.wait(for: connection.socket, reading: true, writing: false, until: deadline) {
        switch connection.socket.receive(into: &connection.input, limit: 16 << 10) {
        case .moved: if try connection.takeHead(limits: core.limits) { return true }
        case .ended: return false
        case .wouldWait: break
        }
      }
    }
    connection.phase = .head
    core.reception.take(connection)
    return false
  }

  /// Asks the handler; returns the answer, and whether the connection has to be closed after it.
  private func answer(
    _ head: HTTPRequestHead, _ connection: Connection
  ) throws(HTTPRefusal) -> (HTTPResponse, closes: Bool) {
    guard core.isOwn(head.authority) else {
      throw HTTPRefusal(.forbidden, "This is not the name of this server.")
    }
    let limit: Int64
    var isStream = false
    switch core.handler.admit(head) {
    case .refuse(let response): return (response, true)
    case .accept(let bodyLimit): limit = Int64(bodyLimit)
    case .stream(let bodyLimit): (limit, isStream) = (bodyLimit, true)
    }
    guard head.contentLength <= limit else {
      throw HTTPRefusal(.contentTooLarge, "The body is larger than \(limit) bytes.")
    }
    let body = BodyReader(connection, limits: core.limits)
    if head.contentLength > 0, head.expectsContinue { try body.askForIt() }
    guard isStream else {
      let bytes = try body.all(Int(head.contentLength))
      let request = HTTPRequest(
        head: head, client: connection.socket, bytes: bytes, stream: nil)
      return (respond(to: request, connection.socket), false)
    }
    let stream = HTTPBodyStream(length: head.contentLength) { limit throws(HTTPRefusal) in
      try body.next(limit)
    }
    let response = respond(
      to: HTTPRequest(head: head, client: connection.socket, bytes: [], stream: stream),
      connection.socket)
    return (response, !stream.end())
  }

  private func respond(to request: HTTPRequest, _ socket: StreamSocket) -> HTTPResponse {
    let handler = core.handler
    return watched(socket) { await handler.respond(to: request) }
  }

  /// Runs a task on this thread, and has it cancelled when the client goes away.
  private func watched<Value: Sendable>(
    _ socket: StreamSocket, _ body: @escaping @Sendable () async -> Value
  ) -> Value {
    defer { core.watch.end(number) }
    return thread.run(
      { cancel in
        if core.watch.begin(number, socket, cancel: cancel) { core.reception.wake() }
      }, body)
  }
}
