import KeepsakeFiles
import KeepsakeHTTP
import Testing

/// C6: several requests in a row.
@Suite struct `Requests in a row` {
  @Test func `C6 are answered in order, a thousand of them`() throws {
    let server = try TestServer.echo()
    let client = try server.client()
    try client.send((0..<1000).map { server.get("/\($0)") }.joined())
    for number in 0..<1000 { #expect(try client.reply().text == "/\(number) 0") }
  }

  @Test func `C6 may follow a body`() throws {
    let server = try TestServer.echo()
    let post = "POST /p HTTP/1.1\r\n\(server.host)Content-Length: 3\r\n\r\nabc"
    let replies = try server.answers(to: post + server.get("/g") + post)
    #expect(replies.map(\.text) == ["/p 3", "/g 0", "/p 3"])
  }

  @Test func `C6 end with the first that is refused`() throws {
    let server = try TestServer.echo()
    for wrong in [
      "GET /x HTTP/1.1\r\n\(server.host)Content-Length: 5\r\n\r\nGET /", "BAD\r\n\r\n",
      "GET /x HTTP/1.1\r\nHost: evil\r\n\r\n",
    ] {
      let replies = try server.answers(to: server.get("/a") + wrong + server.get("/b"))
      #expect(replies.count == 2 && replies.first?.text == "/a 0")
      #expect((400..<500).contains(replies.last?.status ?? 0))
      #expect(replies.last?.fields["Connection"] == "close")
    }
  }

  @Test func `C6 ignore an offer of another protocol`() throws {
    let server = try TestServer.echo()
    let reply = try server.reply(
      "/u", "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAAA\r\n")
    #expect(reply.status == 200 && reply.text == "/u 0")
  }

  @Test func `C6 send a body when they are told to`() throws {
    let server = try TestServer.echo()
    let client = try server.client()
    try client.send(
      "POST /p HTTP/1.1\r\n\(server.host)Content-Length: 3\r\nExpect: 100-continue\r\n\r\n")
    #expect(try client.reply().status == 100)
    try client.send("abc")
    #expect(try client.reply().text == "/p 3")
    // Who does not wait is not told.
    try client.send(
      "POST /p HTTP/1.1\r\n\(server.host)Content-Length: 3\r\nExpect: 100-continue\r\n\r\nabc")
    #expect(try client.reply().status == 200)
  }

  @Test func `C6 are refused before their bodies are sent`() throws {
    let server = try TestServer(admission: { head in
      head.path == ["no"] ? .refuse(HTTPResponse(.unauthorized)) : .accept(bodyLimit: 2)
    }) { request in HTTPResponse(text: "\(request.bytes.count)") }
    for (path, status) in [("/no", 401), ("/yes", 413)] {
      let client = try server.client()
      try client.send(
        "POST \(path) HTTP/1.1\r\n\(server.host)Content-Length: 3\r\nExpect: 100-continue\r\n\r\n")
      let reply = try client.reply()
      #expect(reply.status == status && reply.fields["Connection"] == "close")
      #expect(try client.isEnded())
    }
  }

  /// The answer is not lost when the server closes while the client still sends.
  @Test func `are told that their bodies are too large while they send them`() throws {
    let server = try TestServer(admission: { _ in .accept(bodyLimit: 10) }) { _ in HTTPResponse() }
    let client = try server.client()
    try client.send("POST / HTTP/1.1\r\n\(server.host)Content-Length: 1000000\r\n\r\n")
    try client.send([UInt8](repeating: 0x61, count: 500_000))
    #expect(try client.reply().status == 413)
  }
}

/// C9: bodies.
@Suite struct `A body` {
  @Test func `C9 is taken up to its limit`() throws {
    let server = try TestServer(admission: { _ in .accept(bodyLimit: 1 << 20) }) { request in
      HTTPResponse(text: "\(request.bytes.count) \(request.bytes.allSatisfy { $0 == 0x61 })")
    }
    let client = try server.client()
    try client.send("POST / HTTP/1.1\r\n\(server.host)Content-Length: \(1 << 20)\r\n\r\n")
    try client.send([UInt8](repeating: 0x61, count: 1 << 20))
    #expect(try client.reply().text == "\(1 << 20) true")
    try client.send("POST / HTTP/1.1\r\n\(server.host)Content-Length: \(1 << 20 + 1)\r\n\r\n")
    #expect(try client.reply().status == 413)
  }

  @Test func `C9 that is cut short never reaches the handler`() throws {
    let calls = Locked(0)
    let server = try TestServer { _ in
      calls.withLock { $0 += 1 }
      return HTTPResponse()
    }
    let replies = try server.answers(
      to: "POST / HTTP/1.1\r\n\(server.host)Content-Length: 10\r\n\r\nabc")
    #expect(replies.map(\.status) == [400])
    #expect(calls.withLock { $0 } == 0)
  }

  @Test func `C9 that is compressed is not taken`() throws {
    let server = try TestServer.echo()
    let replies = try server.answers(
      to: "POST / HTTP/1.1\r\n\(server.host)Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc")
    #expect(replies.map(\.status) == [415])
  }

  @Test func `of many megabytes is read in pieces`() throws {
    let size = 64 << 20
    let largest = Locked(0)
    let server = try TestServer(admission: { _ in .stream(bodyLimit: 100 << 20) }) { request in
      var count = 0
      var hash = SHA256()
      do {
        while let piece = try request.stream?.next() {
          count += piece.count
          hash.update(piece)
          largest.withLock { $0 = max($0, piece.count) }
        }
      } catch { return HTTPResponse(.internalError) }
      return HTTPResponse(text: "\(count) \(hash.finalize())")
    }
    let client = try server.client()
    try client.send("PUT / HTTP/1.1\r\n\(server.host)Content-Length: \(size)\r\n\r\n")
    var hash = SHA256()
    for number in 0..<64 {
      let part = [UInt8](repeating: UInt8(number), count: 1 << 20)
      hash.update(part)
      try client.send(part)
    }
    #expect(try client.reply().text == "\(size) \(hash.finalize())")
    #expect(largest.withLock { $0 } <= 64 << 10)
    // The connection goes on, since all of the body was read.
    try client.send("PUT / HTTP/1.1\r\n\(server.host)Content-Length: 1\r\n\r\nx")
    #expect(try client.reply().status == 200)
  }

  @Test func `that is not read ends the connection`() throws {
    let kept = Locked<HTTPBodyStream?>(nil)
    let server = try TestServer(admission: { _ in .stream(bodyLimit: 100) }) { request in
      kept.withLock { $0 = request.stream }
      return HTTPResponse(text: "no")
    }
    let replies = try server.answers(
      to: "PUT / HTTP/1.1\r\n\(server.host)Content-Length: 44\r\n\r\n" + server.get("/hidden"))
    #expect(replies.map(\.text) == ["no"])
    // Who keeps the stream can't read what is another's by now.
    let stream = try #require(kept.withLock { $0 })
    #expect(throws: HTTPRefusal.self) { try stream.next() }
  }
}
