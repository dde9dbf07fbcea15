#if os(Linux)
  import Foundation
  import KeepsakeFiles
  import KeepsakeHTTP
  import KeepsakeTestSupport
  import Testing

  /// Our parser against that of libmicrohttpd, which is told to be strict: what ours takes, the other takes, and both
  /// understand the same. Where ours alone refuses, it is for a reason of the list.
  @Suite struct `Beside libmicrohttpd` {
    /// What ours refuses and the other takes, by the sentence of the refusal.
    private static let strictness: [String: String] = [
      "A header field stands twice that may stand once.": "two of Host, Content-Length and such",
      "GET and HEAD take no body.": "a body that no method asks for",
      "The address has a percent sign that encodes nothing.": "left to the program there",
      "The address has a dot segment or an encoded slash in it.": "left to the program there",
      "The address has a character that has to be encoded.": "left to the program there",
      "The address does not begin with a slash.": "forms for proxies, and `*`",
      "The address is no UTF-8.": "left to the program there",
      "The method is unknown here.": "left to the program there",
      "Only HTTP/1.1 and HTTP/1.0 are spoken.": "HTTP/1.2 is taken for 1.1 there",
      "A body in pieces is not taken. Send Content-Length.": "chunked requests",
      "The size of the body is said in two ways.": "Transfer-Encoding wins there",
      "Only 100-continue may be expected.": "ignored there",
      "The field Host is missing or malformed.":
        "any text is a host there, and HTTP/1.0 needs none",
      "A compressed body is not taken. Send it as it is.": "left to the program there",
      "The first line is no request.": "lower case, tabs and several spaces between the parts",
      "The request has no first line.": "empty lines before a request",
      "A line of the header ends without CR.": "LF alone ends a line there",
      "The header has a CR without LF.": "CR is white space there",
      "The header has a control character in it.": "left in the values there",
      "A header field goes on in another line.": "joined there",
      "The name of a header field has a character that it can't have.": "any name is taken there",
      "A line of the header has no name and colon.": "an empty name is taken there",
    ]

    private func oracle() throws -> Program {
      let folder = URL(filePath: NSTemporaryDirectory())
        .appending(path: "keepsake-oracle-\(UInt64.random(in: 0 ... .max))")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "tools/lib/http/oracle.c")
      let program = folder.appending(path: "oracle").path
      let compiler = try ProgramRun("cc", "-O1", source.path, "-lmicrohttpd", "-o", program)
      try #require(
        compiler.exitCode == 0,
        "Run tools/lib/apt check: libmicrohttpd-dev is missing. \(compiler.errors)")
      return try Program(program)
    }

    private func echo() throws -> TestServer {
      try TestServer(hosts: .any) { request in
        let head = request.head
        var text = "\(head.isHeadOnly ? "HEAD" : head.method.rawValue) "
        text += "\(head.target.prefix { $0 != "?" }) \(request.bytes.count)\n"
        for field in head.fields.all { text += "\(field.name): \(field.value)\n" }
        return HTTPResponse(text: text)
      }
    }

    /// The answer to the first request of some bytes; nil where there is none.
    private func first(_ bytes: [UInt8], port: Int) throws -> Reply? {
      let client = try RawClient(port: port)
      // A server may close before it has read everything.
      try? client.send(bytes)
      client.endSending()
      while try client.receive() {}
      let isHead = bytes.starts(with: "HEAD".utf8)
      var rest = client.received
      while let (reply, length) = Reply.first(in: rest, isHead: isHead, isEnd: true) {
        if reply.status != 100 { return reply }
        rest.removeFirst(length)
      }
      return nil
    }

    @Test func `takes nothing that the other refuses, and understands the same`() throws {
      let (ours, oracle) = (try echo(), try oracle())
      let seed = UInt64.random(in: 1 ... .max)
      var random = SeededRandom(seed)
      var (both, stricter) = (0, [String: Int]())
      for _ in 0..<3000 {
        let bytes = HostileRequest.make(&random)
        let mine = try first(bytes, port: ours.port)
        let other = try first(bytes, port: oracle.port)
        let shown = "seed \(seed): \(String(decoding: bytes, as: UTF8.self).debugDescription)"
        let takesMine = mine.map { $0.status < 400 } ?? false
        let takesOther = other.map { $0.status < 400 } ?? false
        switch (takesMine, takesOther) {
        case (true, true):
          both += 1
          // The other leaves blanks at the end of a value.
          let (said, heard) = (mine?.text, other?.text)
          let blanks = /[ \t]+\n/
          #expect(
            said?.replacing(blanks, with: "\n") == heard?.replacing(blanks, with: "\n"), "\(shown)")
        case (true, false):
          // The other resets the connection where bytes follow that belong to no request, and its answer is lost.
          if other == nil { break }
          // It takes no blanks behind the size of a body, which RFC 9112 allows behind every value.
          let size = /Content-Length:[ \t]*[0-9]+[ \t]+\r/
          // By scalars, because a line break of two of them is one character.
          let lines = String(decoding: bytes, as: UTF8.self)
          if lines.contains(size.matchingSemantics(.unicodeScalar)) { break }
          Issue.record("Only ours takes \(shown): \(other?.status ?? 0)")
        case (false, true):
          // The answer to HEAD has no body that says why.
          if bytes.starts(with: "HEAD".utf8), mine != nil { break }
          let reason = mine?.text.split(separator: "\n").first.map(String.init) ?? "no answer"
          stricter[reason, default: 0] += 1
          if Self.strictness[reason] == nil {
            Issue.record("Only ours refuses \(shown): \(reason)")
          }
        case (false, false): break
        }
      }
      #expect(both > 300, "seed \(seed)")
      #expect(stricter.count > 5, "seed \(seed)")
    }
  }
#endif
