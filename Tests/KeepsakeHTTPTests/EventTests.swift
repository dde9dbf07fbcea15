import Foundation
import KeepsakeFiles
import KeepsakeHTTP
import Testing

@Suite struct `A stream of events` {
  /// A server whose only answer is a stream, and the streams that it gave.
  private func serve(
    _ limits: HTTPLimits = HTTPLimits(), bufferLimit: Int = 256 << 10,
    onClose: @escaping @Sendable (EventStream.End) -> Void = { _ in }
  ) throws -> (TestServer, Locked<[EventStream]>) {
    let streams = Locked<[EventStream]>([])
    let server = try TestServer(limits) { request in
      let stream = EventStream(bufferLimit: bufferLimit, onClose: onClose)
      streams.withLock { $0.append(stream) }
      stream.send(event: "hello", data: request.head.fields["Last-Event-ID"] ?? "")
      return HTTPResponse(.ok, ["Content-Type": "text/event-stream"], body: .events(stream))
    }
    return (server, streams)
  }

  @Test func `reaches its listener as it is written, from any thread`() throws {
    let (server, streams) = try serve()
    let client = try server.client()
    try client.send(server.get("/", "Last-Event-ID: 41\r\n"))
    try client.wait(for: "event: hello\ndata: 41\n\n")
    let stream = try #require(streams.withLock { $0.first })
    #expect(stream.send(id: "4\n2", event: "a\rb", data: "one\ntwo\r\nthree\r\n\nfive"))
    try client.wait(
      for: "id: 4 2\nevent: a b\ndata: one\ndata: two\ndata: three\ndata: \ndata: five\n\n")
    let threads = (0..<4).map { number in
      WorkerThread(name: "sender") {
        for count in 0..<100 { stream.send(data: "<\(number).\(count)>") }
      }
    }
    for thread in threads { thread.join() }
    stream.send(data: "end")
    stream.close()
    #expect(!stream.send(data: "late"))
    #expect(try client.isEnded())
    let text = String(decoding: client.received, as: UTF8.self)
    for number in 0..<4 {
      // All events of a sending thread arrive, in the order in which the thread sent them.
      let places = (0..<100).compactMap {
        text.range(of: "data: <\(number).\($0)>\n\n")?.lowerBound
      }
      #expect(places.count == 100 && places == places.sorted())
    }
    #expect(text.hasSuffix("data: end\n\n"))
    #expect(stream.end == .closed)
  }

  @Test func `shows that it lives, and only when nothing else does`() throws {
    var limits = HTTPLimits()
    limits.heartbeat = .milliseconds(50)
    let (server, _) = try serve(limits)
    let client = try server.client()
    try client.send(server.get("/"))
    try client.wait(for: ":\n\n:\n\n:\n\n")
  }

  @Test func `ends for a listener that leaves`() throws {
    let ends = Locked<[EventStream.End]>([])
    let (server, streams) = try serve { end in ends.withLock { $0.append(end) } }
    do {
      let client = try server.client()
      try client.send(server.get("/"))
      try client.wait(for: "hello")
    }
    #expect(comes { ends.withLock { !$0.isEmpty } })
    #expect(ends.withLock { $0 } == [.clientLeft])
    #expect(streams.withLock { $0.first?.send(data: "x") } == false)
    #expect(comes { server.openConnections == 0 })
  }

  @Test func `drops a listener that reads too slowly, and no other`() throws {
    let ends = Locked<[EventStream.End]>([])
    let (server, streams) = try serve(bufferLimit: 64 << 10) { end in
      ends.withLock { $0.append(end) }
    }
    let slow = try server.client()
    try slow.send(server.get("/"))
    try slow.wait(for: "hello")
    let quick = try server.client()
    try quick.send(server.get("/"))
    try quick.wait(for: "hello")
    let (first, second) = (streams.withLock { $0[0] }, streams.withLock { $0[1] })
    let text = String(repeating: "x", count: 10_000)
    // The system takes some megabytes before the buffer fills.
    var sent = 0
    while first.send(data: text), sent < 10_000 { sent += 1 }
    #expect(first.end == .tooSlow && ends.withLock { $0 } == [.tooSlow])
    #expect(sent < 10_000)
    #expect(second.send(data: "after"))
    try quick.wait(for: "after")
    #expect(comes { server.openConnections == 1 })
  }

  @Test func `gives up a listener that reads nothing for long`() throws {
    var limits = HTTPLimits()
    (limits.patience, limits.heartbeat) = (.milliseconds(300), .milliseconds(50))
    let (server, streams) = try serve(limits, bufferLimit: 64 << 20)
    let client = try server.client()
    try client.send(server.get("/"))
    try client.wait(for: "hello")
    let stream = try #require(streams.withLock { $0.first })
    #expect(stream.send(data: String(repeating: "x", count: 32 << 20)))
    #expect(comes { stream.end == .tooSlow })
  }

  @Test func `is refused where there are too many`() throws {
    var limits = HTTPLimits()
    limits.eventStreams = 2
    let (server, streams) = try serve(limits)
    let clients = try (0..<3).map { _ in try server.client() }
    for client in clients.prefix(2) {
      try client.send(server.get("/"))
      try client.wait(for: "hello")
    }
    try clients[2].send(server.get("/"))
    #expect(try clients[2].reply().status == 503)
    #expect(streams.withLock { $0[2].end } == .serverStopped)
    streams.withLock { $0[0] }.close()
    #expect(try clients[0].isEnded())
    #expect(comes { server.openConnections == 1 })
    let next = try server.client()
    try next.send(server.get("/"))
    try next.wait(for: "hello")
  }
}
