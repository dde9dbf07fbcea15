import KeepsakeFiles
import KeepsakeHTTP
import Testing

@Suite struct `A server that stops` {
  @Test func `finishes answers that have begun, and takes nothing new`() throws {
    let gate = Monitor(false)
    let server = try TestServer { _ in
      _ = gate.wait { $0 ? true : nil }
      return HTTPResponse(text: "done")
    }
    let (busy, idle, half) = (try server.client(), try server.client(), try server.client())
    try busy.send(server.get("/"))
    try half.send("GET / HT")
    #expect(comes { server.busyWorkers == 1 && server.openConnections == 3 })
    let stopped = Locked<Bool?>(nil)
    let stopper = WorkerThread(name: "stopper") {
      let isDone = server.server.stop(within: .seconds(30))
      stopped.withLock { $0 = isDone }
    }
    // Those without a request are closed at once.
    #expect(try idle.isEnded() && idle.received.isEmpty)
    #expect(try half.isEnded())
    #expect(throws: (any Error).self) { try server.client() }
    #expect(stopped.withLock { $0 } == nil)
    gate.withLock { $0 = true }
    gate.broadcast()
    let reply = try busy.reply()
    #expect(reply.text == "done" && reply.fields["Connection"] == "close")
    stopper.join()
    #expect(stopped.withLock { $0 } == true)
  }

  @Test func `cancels and cuts off what takes too long`() throws {
    let wasCancelled = Locked(false)
    let server = try TestServer { _ in
      do { try await Task.sleep(for: .seconds(3600)) } catch {
        wasCancelled.withLock { $0 = true }
      }
      return HTTPResponse(text: "late")
    }
    let client = try server.client()
    try client.send(server.get("/"))
    #expect(comes { server.busyWorkers == 1 })
    #expect(!server.server.stop(within: .milliseconds(100)))
    #expect(comes { wasCancelled.withLock { $0 } })
    #expect(try client.isEnded() && client.received.isEmpty)
  }

  @Test func `ends streams after what was sent on them`() throws {
    let ends = Locked<[EventStream.End]>([])
    let streams = Locked<[EventStream]>([])
    let server = try TestServer { _ in
      let stream = EventStream { end in ends.withLock { $0.append(end) } }
      streams.withLock { $0.append(stream) }
      stream.send(data: "first")
      return HTTPResponse(body: .events(stream))
    }
    let client = try server.client()
    try client.send(server.get("/"))
    try client.wait(for: "first")
    streams.withLock { $0[0] }.send(data: "last")
    #expect(server.server.stop(within: .seconds(30)))
    try client.wait(for: "last")
    #expect(try client.isEnded())
    #expect(ends.withLock { $0 } == [.serverStopped])
  }

  @Test func `is gone when nobody has it, with its threads`() throws {
    weak var left: HTTPServer?
    let port: Int
    do {
      let server = try TestServer.echo()
      left = server.server
      port = server.port
      #expect(try server.reply("/").status == 200)
    }
    #expect(left == nil)
    // A server that was released has freed its port, so that another server can listen there.
    let next = HTTPServer(
      [.loopback(port: port)], handler: TestHandler { _ in HTTPResponse(text: "next") })
    try next.start()
    defer { next.stop(within: .zero) }
    #expect(next.port == port)
  }

  @Test func `cancels the work for a client that leaves`() throws {
    let (started, cancelled) = (Locked(0), Locked(0))
    let server = try TestServer { request in
      if request.head.path == ["quick"] { return HTTPResponse(text: "quick") }
      started.withLock { $0 += 1 }
      do { try await Task.sleep(for: .seconds(3600)) } catch { cancelled.withLock { $0 += 1 } }
      return HTTPResponse()
    }
    do {
      let client = try server.client()
      try client.send(server.get("/"))
      #expect(comes { started.withLock { $0 == 1 } })
    }
    #expect(comes { cancelled.withLock { $0 } == 1 })
    #expect(try server.reply("/quick").text == "quick")
    // Pieces are work for the client as well.
    let pieces = try TestServer { _ in
      HTTPResponse(
        body: .pieces {
          do { try await Task.sleep(for: .seconds(3600)) } catch { cancelled.withLock { $0 += 1 } }
          return nil
        })
    }
    do {
      let client = try pieces.client()
      try client.send(pieces.get("/"))
      try client.wait(for: "\r\n\r\n")
    }
    #expect(comes { cancelled.withLock { $0 } == 2 })
  }
}
