import KeepsakeFiles
import KeepsakeHTTP
import Testing

@Suite struct `A server` {
  @Test func `answers one request after the other on a connection`() throws {
    let server = try TestServer.echo()
    let client = try server.client()
    for number in 0..<3 {
      try client.send(server.get("/\(number)"))
      let reply = try client.reply()
      #expect(reply.status == 200 && reply.text == "/\(number) 0")
      #expect(reply.fields["Connection"] == nil)
      #expect(reply.fields["Date"].flatMap(HTTPDate.seconds) != nil)
    }
    try client.send("POST /p HTTP/1.1\r\n\(server.host)Content-Length: 5\r\n\r\nhello")
    #expect(try client.reply().text == "/p 5")
    try client.send(server.get("/last", "Connection: close\r\n"))
    #expect(try client.reply().fields["Connection"] == "close")
    #expect(try client.isEnded())
  }

  /// C1: no request can hide a second one.
  @Test(arguments: [
    "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
    "Content-Length: 40\r\nContent-Length: 5\r\n",
    "Transfer-Encoding: chunked, identity\r\n", "Content-Length: +5\r\n",
    "Content-Length: 5, 5\r\n",
  ]) func `C1 gives one answer to a request of two sizes, and closes`(fields: String) throws {
    let server = try TestServer.echo()
    let replies = try server.answers(
      to: "POST / HTTP/1.1\r\n\(server.host)\(fields)\r\n0\r\n\r\n\(server.get("/hidden"))")
    #expect(replies.count == 1)
    #expect([400, 501].contains(replies.first?.status))
    #expect(replies.first?.fields["Connection"] == "close")
  }

  /// B1: a page that has its name lead here.
  @Test func `B1 refuses the name of another server`() throws {
    let server = try TestServer.echo()
    let port = server.port
    func status(_ host: String) throws -> Int? {
      try server.answers(to: "GET / HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n").first?
        .status
    }
    for host in ["127.0.0.1:\(port)", "[::1]:\(port)", "localhost:\(port)", "LOCALHOST:\(port)"] {
      #expect(try status(host) == 200, "\(host)")
    }
    for host in [
      "evil.example", "evil.example:\(port)", "127.0.0.1.evil.com:\(port)", "localhost:\(port + 1)",
      "localhost", "[::1]", "127.0.0.1", "localhost.:\(port)", "[::2]:\(port)", "0.0.0.0:\(port)",
    ] { #expect(try status(host) == 403, "\(host)") }
    for host in ["", "a@localhost:\(port)", "localhost:\(port),x"] {
      #expect(try status(host) == 400, "\(host)")
    }
    #expect(
      try server.answers(to: "GET http://localhost:\(port)/ HTTP/1.1\r\n\(server.host)\r\n").first?
        .status == 400)
  }

  @Test func `takes the names that it was given`() throws {
    let server = try TestServer(hosts: .own(also: ["chats.example"])) { _ in HTTPResponse() }
    #expect(
      try server.answers(to: "GET / HTTP/1.1\r\nHost: Chats.example\r\nConnection: close\r\n\r\n")
        .first?.status == 200)
    #expect(
      try server.answers(to: "GET / HTTP/1.1\r\nHost: x.example\r\nConnection: close\r\n\r\n")
        .first?.status == 403)
  }

  /// B11: methods that nothing here knows.
  @Test(arguments: ["TRACE", "CONNECT", "PROPFIND", "PRI", "FOO"])
  func `B11 knows no such method`(method: String) throws {
    let server = try TestServer.echo()
    let replies = try server.answers(
      to: "\(method) / HTTP/1.1\r\n\(server.host)\r\n\(server.get("/x"))")
    #expect(replies.map(\.status) == [501])
    #expect(replies.first?.fields.all.contains { $0.name.hasPrefix("Access-Control") } == false)
  }

  @Test func `B11 answers HEAD as GET without the body`() throws {
    let server = try TestServer { request in
      switch request.head.path.first {
      case "bytes": HTTPResponse(text: "hello")
      case "pieces": HTTPResponse(body: .pieces { nil })
      case "events": HTTPResponse(body: .events(EventStream()))
      default: HTTPResponse(.notFound, body: .none)
      }
    }
    let refused = try server.client()
    try refused.send("HEAD / HTTP/1.1\r\nHost: evil\r\n\r\n")
    #expect(try refused.reply(isHead: true).status == 403)
    #expect(try refused.isEnded() && refused.received.isEmpty)
    for path in ["/bytes", "/pieces", "/events", "/none"] {
      let (whole, head) = (try server.client(), try server.client())
      try whole.send(server.get(path, "Connection: close\r\n"))
      try head.send("HEAD \(path) HTTP/1.1\r\n\(server.host)Connection: close\r\n\r\n")
      let reply = try head.reply(isHead: true)
      #expect(try head.isEnded() && head.received.isEmpty, "\(path)")
      if path == "/events" { continue }
      let full = try whole.reply()
      #expect(reply.status == full.status)
      #expect(reply.fields["Content-Length"] == full.fields["Content-Length"])
      #expect(reply.fields["Transfer-Encoding"] == full.fields["Transfer-Encoding"])
    }
  }

  /// A field can't become two, whatever a handler puts into it.
  @Test func `sends fields in one line each`() throws {
    let server = try TestServer { _ in
      var response = HTTPResponse(text: "x")
      response.fields.append("X-Name", "a\r\nX-Evil: b\n\0c")
      response.fields.append("X-Evil\r\nX-Evil2", "d")
      response.fields.append("Content-Length", "1000")
      response.fields.append("Transfer-Encoding", "chunked")
      return response
    }
    let reply = try server.reply("/")
    #expect(reply.fields["X-Name"] == "a  X-Evil: b  c")
    #expect(reply.fields.all.count { $0.name.hasPrefix("X-Evil") } == 0)
    #expect(reply.fields.values(of: "Content-Length") == ["1"])
    #expect(reply.text == "x")
  }

  @Test func `says nothing of the request when it refuses, and is no page`() throws {
    let server = try TestServer.echo()
    let reply = try #require(
      try server.answers(to: "GET /%zz<script> HTTP/1.1\r\n\(server.host)\r\n").first)
    #expect(reply.status == 400 && !reply.text.contains("script"))
    #expect(reply.fields["Content-Type"] == "text/plain; charset=utf-8")
    #expect(reply.fields["X-Content-Type-Options"] == "nosniff")
  }

  @Test func `speaks HTTP 1.0 with one request a connection`() throws {
    let server = try TestServer { _ in
      let rest = Locked(2)
      return HTTPResponse(
        body: .pieces {
          rest.withLock { rest in
            rest -= 1
            return rest >= 0 ? Array("piece ".utf8) : nil
          }
        })
    }
    let client = try server.client()
    try client.send("GET / HTTP/1.0\r\n\(server.host)Connection: keep-alive\r\n\r\n")
    let reply = try client.reply()
    #expect(reply.fields["Transfer-Encoding"] == nil && reply.text == "piece piece ")
    #expect(try server.reply("/").text == "piece piece ")
  }

  @Test func `cuts an answer off whose pieces fail`() throws {
    struct Failure: Error {}
    let server = try TestServer { _ in
      let first = Locked(true)
      return HTTPResponse(
        body: .pieces {
          let isFirst = first.withLock { first in
            defer { first = false }
            return first
          }
          if isFirst { return Array("piece".utf8) }
          throw Failure()
        })
    }
    let client = try server.client()
    try client.send(server.get("/"))
    #expect(throws: RawClient.Ended.self) { try client.reply() }
    #expect(String(decoding: client.received, as: UTF8.self).hasSuffix("5\r\npiece"))
  }

  @Test func `runs handlers on threads of its own, where they may block`() throws {
    let limits = HTTPLimits()
    let gate = Monitor(0)
    let server = try TestServer(limits) { request in
      if request.head.path == ["free"] { return HTTPResponse(text: "free") }
      // All of these block at the same time, which the threads of all tasks would be too few for.
      gate.withLock { $0 += 1 }
      gate.broadcast()
      let all = gate.wait(until: Instant.now.advanced(by: .seconds(30))) { $0 >= 20 ? true : nil }
      await Task.yield()
      return HTTPResponse(text: "\(all ?? false)")
    }
    let clients = try (0..<20).map { _ in try server.client() }
    for client in clients { try client.send(server.get("/block")) }
    for client in clients { #expect(try client.reply().text == "true") }
    #expect(try server.reply("/free").text == "free")
  }
}
