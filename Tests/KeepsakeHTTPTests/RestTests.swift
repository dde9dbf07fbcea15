#if os(Linux)
  import Foundation
  import KeepsakeFiles
  import KeepsakeHTTP
  import Testing

  /// What a server takes that has nothing to do, seen from outside.
  @Suite struct `A server at rest` {
    private func probe() throws -> Program {
      try Program(try Program.built("KeepsakeHTTPProbe"), [#filePath])
    }

    @Test func `has two threads for a hundred listeners, little memory, and sleeps`() throws {
      let program = try probe()
      let listeners = try (0..<100).map { _ in try RawClient(port: program.port) }
      for listener in listeners {
        try listener.send("GET /events HTTP/1.1\r\nHost: localhost:\(program.port)\r\n\r\n")
      }
      for listener in listeners { try listener.wait(for: "\r\n\r\n") }
      let sender = try RawClient(port: program.port)
      try sender.send(
        "POST /events HTTP/1.1\r\nHost: localhost:\(program.port)\r\nContent-Length: 5\r\n\r\nhello"
      )
      #expect(try sender.reply().text == "100\n")
      for listener in listeners { try listener.wait(for: "data: hello\n\n") }
      // Threads that answered requests end after a while: the one that waits is left, beside the program's own.
      #expect(comes { (try? program.status("Threads")) == 2 })
      #expect(try program.status("VmRSS") < 80 << 10)
      // Signs of life are fifteen seconds apart, so that in one second there is at most one.
      let before = try program.sleeps()
      _ = Monitor(0).wait(until: Instant.now.advanced(by: .seconds(1))) { _ -> Int? in nil }
      #expect(try program.sleeps() - before <= 3)
    }

    @Test
    func `lives on when clients break off, with the signals of a program that knows nothing of it`()
      throws
    {
      let program = try probe()
      for _ in 0..<30 {
        let client = try RawClient(port: program.port)
        try client.send("GET /bytes/16000000 HTTP/1.1\r\nHost: localhost:\(program.port)\r\n\r\n")
        _ = try client.receive(limit: 10)
      }
      let client = try RawClient(port: program.port)
      try client.send("GET /bytes/3 HTTP/1.1\r\nHost: localhost:\(program.port)\r\n\r\n")
      #expect(try client.reply().text == "aaa")
    }
  }
#endif
