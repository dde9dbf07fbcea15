import KeepsakeFiles
import KeepsakeHTTP
import Testing

/// A handler that a test makes of closures.
struct TestHandler: HTTPHandler {
  var admission: @Sendable (HTTPRequestHead) -> HTTPAdmission = { _ in .accept(bodyLimit: 1 << 20) }
  let answer: @Sendable (HTTPRequest) async -> HTTPResponse

  func admit(_ head: HTTPRequestHead) -> HTTPAdmission { admission(head) }
  func respond(to request: HTTPRequest) async -> HTTPResponse { await answer(request) }
}

/// A running server, which is cut off when the test lets go of it.
final class TestServer: Sendable {
  let server: HTTPServer
  let port: Int

  /// Starts a server on any free port.
  init(
    _ limits: HTTPLimits = HTTPLimits(), hosts: HTTPServer.Hosts = .own(),
    admission: @escaping @Sendable (HTTPRequestHead) -> HTTPAdmission = { _ in
      .accept(bodyLimit: 1 << 20)
    },
    _ answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
  ) throws {
    server = HTTPServer(
      [.loopback(port: 0)], hosts: hosts, limits: limits,
      handler: TestHandler(admission: admission, answer: answer))
    try server.start()
    port = try #require(server.port)
  }

  /// A server that says what it was asked: the path, and the size of the body.
  static func echo(_ limits: HTTPLimits = HTTPLimits()) throws -> TestServer {
    try TestServer(limits) { request in
      HTTPResponse(text: "/\(request.head.path.joined(separator: "/")) \(request.bytes.count)")
    }
  }

  deinit { server.stop(within: .zero) }

  func client() throws -> RawClient { try RawClient(port: port) }

  /// Sends bytes on a connection of their own, and returns all that comes back until the server closes.
  ///
  /// The client goes on to read, so a server that leaves the connection open is given a little time, and then closed.
  func answers(to text: String) throws -> [Reply] {
    let client = try client()
    try client.send(text)
    client.endSending()
    return try client.replies()
  }

  /// The `Host` line of this server.
  var host: String { "Host: 127.0.0.1:\(port)\r\n" }

  func get(_ path: String, _ fields: String = "") -> String {
    "GET \(path) HTTP/1.1\r\n\(host)\(fields)\r\n"
  }

  /// The answer to one GET on a connection of its own.
  func reply(_ path: String, _ fields: String = "") throws -> Reply {
    let client = try client()
    try client.send(get(path, fields))
    return try client.reply()
  }
}

/// Waits for something that other threads do; false where it has not come after half a minute.
func comes(_ condition: () -> Bool) -> Bool {
  let deadline = Instant.now.advanced(by: .seconds(30))
  let monitor = Monitor(0)
  while !condition() {
    if deadline <= Instant.now { return false }
    _ = monitor.wait(until: Instant.now.advanced(by: .milliseconds(5))) { _ -> Int? in nil }
  }
  return true
}

extension TestServer {
  var openConnections: Int { server.load.connections }
  var busyWorkers: Int { server.load.answering }
}

extension RawClient {
  /// Whether something has come that was not received.
  var hasSomething: Bool {
    Readiness.wait(for: socket, reading: true, writing: false, until: .now)
  }

  /// Reads to the end, and returns how many bytes came in all, those that were received before too.
  func receivedToTheEnd() throws -> Int {
    while try receive() {}
    return received.count
  }
}
