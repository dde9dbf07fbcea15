import Foundation
import KeepsakeFiles
import KeepsakeHTTP
import Testing

/// C5: clients that take their time.
@Suite struct `A slow client` {
  /// Waits for a while on this thread, as a client does.
  private func pause(_ duration: Duration) {
    _ = Monitor(0).wait(until: Instant.now.advanced(by: duration)) { _ -> Int? in nil }
  }

  @Test func `C5 has so long for a header`() throws {
    var limits = HTTPLimits()
    limits.headTime = .milliseconds(400)
    let server = try TestServer.echo(limits)
    let slow = try server.client()
    let began = Instant.now
    // A byte now and then does not give it more time.
    for byte in Array("GET / HT".utf8) {
      guard (try? slow.send([byte])) != nil else { break }
      pause(.milliseconds(100))
    }
    #expect(try slow.reply().status == 408)
    #expect(Instant.now - began >= .milliseconds(400))
    #expect(try slow.isEnded())
  }

  @Test func `C5 has so long to send something at all`() throws {
    var limits = HTTPLimits()
    limits.idleTime = .milliseconds(200)
    let server = try TestServer.echo(limits)
    let silent = try server.client()
    #expect(try silent.isEnded() && silent.received.isEmpty)
    let kept = try server.client()
    try kept.send(server.get("/a"))
    #expect(try kept.reply().status == 200)
    #expect(try kept.isEnded())
  }

  @Test func `C5 has to send a body at some rate`() throws {
    var limits = HTTPLimits()
    limits.patience = .milliseconds(300)
    let server = try TestServer.echo(limits)
    let slow = try server.client()
    try slow.send("POST / HTTP/1.1\r\n\(server.host)Content-Length: 1000\r\n\r\n")
    for _ in 0..<6 {
      guard (try? slow.send("x")) != nil else { break }
      pause(.milliseconds(100))
    }
    #expect(try slow.reply().status == 408)
  }

  @Test func `C5 that reads a gigabyte byte by byte is dropped, and holds nobody up`() throws {
    let path = NSTemporaryDirectory() + "keepsake-http-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.truncate(atOffset: 1 << 30)
    try handle.close()
    let file = HTTPFile(try FileDescriptor(opening: path))
    var limits = HTTPLimits()
    (limits.threads, limits.patience) = (2, .milliseconds(700))
    let server = try TestServer(limits) { request in
      request.head.path == ["file"]
        ? HTTPResponse(body: .file(file, 0..<(1 << 30))) : HTTPResponse(text: "quick")
    }
    // More slow readers than there are threads.
    let slow = try (0..<6).map { _ in try server.client() }
    for client in slow { try client.send(server.get("/file")) }
    for client in slow { _ = try client.receive(limit: 1) }
    for _ in 0..<10 {
      #expect(try server.reply("/quick").text == "quick")
      for client in slow { _ = try client.receive(limit: 1) }
      pause(.milliseconds(100))
    }
    // What they get in the end is cut off.
    #expect(comes { server.openConnections == 0 })
    for client in slow { #expect(try client.receivedToTheEnd() < 1 << 30) }
  }

  @Test func `C5 may be two hundred that do nothing, while others are served`() throws {
    let server = try TestServer.echo()
    let idle = try (0..<200).map { _ in try server.client() }
    for client in idle.prefix(100) { try client.send("GET / HTTP/1.1\r\nHo") }
    #expect(comes { server.openConnections == 200 })
    for number in 0..<50 { #expect(try server.reply("/\(number)").status == 200) }
    for client in idle.prefix(100) { try client.send("st: 127.0.0.1:\(server.port)\r\n\r\n") }
    for client in idle.prefix(100) { #expect(try client.reply().status == 200) }
  }

  @Test func `C5 makes room for others when there are too many`() throws {
    var limits = HTTPLimits()
    limits.connections = 10
    let server = try TestServer.echo(limits)
    let idle = try (0..<30).map { _ in try server.client() }
    #expect(try server.reply("/").status == 200)
    #expect(server.openConnections <= 10)
    // The first to come were the first to go.
    #expect(try idle[0].isEnded())
  }

  @Test func `C5 is refused where all others are busy`() throws {
    var limits = HTTPLimits()
    limits.connections = 2
    let gate = Monitor(false)
    let server = try TestServer(limits) { _ in
      _ = gate.wait { $0 ? true : nil }
      return HTTPResponse(text: "done")
    }
    let busy = try (0..<2).map { _ in try server.client() }
    for client in busy { try client.send(server.get("/")) }
    #expect(comes { server.busyWorkers == 2 })
    #expect(try server.client().reply().status == 503)
    gate.withLock { $0 = true }
    gate.broadcast()
    for client in busy { #expect(try client.reply().text == "done") }
  }

  @Test func `C5 that sends no more still gets its answer`() throws {
    let server = try TestServer.echo()
    #expect(try server.answers(to: server.get("/half")).map(\.text) == ["/half 0"])
  }

  @Test func `C5 that vanishes in the middle of a file harms nobody`() throws {
    let path = NSTemporaryDirectory() + "keepsake-http-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(count: 64 << 20).write(to: URL(filePath: path))
    let file = HTTPFile(try FileDescriptor(opening: path))
    let server = try TestServer { _ in HTTPResponse(body: .file(file, 0..<(64 << 20))) }
    for _ in 0..<20 {
      // It closes with bytes unread, which makes the system say so at once, by RST.
      let client = try server.client()
      try client.send(server.get("/"))
      _ = try client.receive(limit: 1000)
    }
    #expect(comes { server.openConnections == 0 })
    #expect(try server.reply("/").body.count == 64 << 20)
  }

  @Test func `C4 may send a megabyte of header byte by byte, and is refused soon`() throws {
    let server = try TestServer.echo()
    let client = try server.client()
    try client.send("GET / HTTP/1.1\r\n")
    var sent = 0
    while sent < 1 << 20, (try? client.send("X")) != nil {
      sent += 1
      // Whoever looks now and then sees the refusal.
      if sent % 1000 == 0, client.hasSomething { break }
    }
    #expect(sent >= 16_000 && sent < 1 << 20)
    #expect(try client.reply().status == 431)
  }
}
