import KeepsakeFiles
import KeepsakeHTTP
import Testing

@Suite struct `A handler` {
  private actor Counter {
    private(set) var count = 0

    /// Adds one, and lets others in meanwhile.
    func add() async -> Int {
      await Task.yield()
      count += 1
      return count
    }
  }

  @Test func `may wait for actors that others use, for tasks of all kinds, and for time`()
    async throws
  {
    let counter = Counter()
    let server = try TestServer { _ in
      async let first = counter.add()
      let outside = await Task.detached { await counter.add() }.value
      let inside = await withTaskGroup(of: Int.self) { group in
        for _ in 0..<3 { group.addTask { await counter.add() } }
        return await group.reduce(0) { max($0, $1) }
      }
      try? await Task.sleep(for: .milliseconds(1))
      return HTTPResponse(text: "\(await first > 0 && outside > 0 && inside > 0)")
    }
    let wrong = Locked(0)
    let clients = (0..<8).map { _ in
      WorkerThread(name: "client") {
        for _ in 0..<50 {
          let text = try? server.reply("/").text
          if text != "true" { wrong.withLock { $0 += 1 } }
        }
      }
    }
    // The test gives its thread up meanwhile: it may be the only one of those that the detached tasks need.
    await withCheckedContinuation { continuation in
      _ = WorkerThread(name: "clients") {
        for client in clients { client.join() }
        continuation.resume()
      }
    }
    #expect(wrong.withLock { $0 } == 0)
    #expect(await counter.count == 8 * 50 * 5)
  }

  @Test func `sees that its task is cancelled even while it does not wait for anything`() throws {
    let (started, noticed) = (Locked(false), Locked(false))
    let server = try TestServer { _ in
      started.withLock { $0 = true }
      let deadline = Instant.now.advanced(by: .seconds(30))
      while !Task.isCancelled, Instant.now < deadline {
        _ = Monitor(0).wait(until: Instant.now.advanced(by: .milliseconds(5))) { _ -> Int? in nil }
      }
      let isCancelled = Task.isCancelled
      noticed.withLock { $0 = isCancelled }
      return HTTPResponse()
    }
    do {
      let client = try server.client()
      try client.send(server.get("/"))
      #expect(comes { started.withLock { $0 } })
    }
    #expect(comes { server.busyWorkers == 0 })
    #expect(noticed.withLock { $0 })
  }
}
