import Foundation
import KeepsakeFiles
import KeepsakeHTTP
import KeepsakeTestSupport
import Testing

@Suite struct `A compressed answer` {
  private static let text = String(repeating: "what was said, ", count: 2000)

  private func head(_ accepted: String?) throws -> HTTPRequestHead {
    let field = accepted.map { "Accept-Encoding: \($0)\r\n" } ?? ""
    return try #require(Parsed("GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\n").head)
  }

  @Test(arguments: [
    ("gzip", true), ("gzip, deflate, br", true), ("br;q=1, GZIP;q=0.5", true), ("*", true),
    ("deflate, *;q=0.1", true), ("gzip;q=0", false), ("gzip; q=0.000", false), ("br", false),
    ("identity", false), ("*, gzip;q=0", false), ("", false), (nil, false), ("gzipped", false),
  ]) func `is for a client that takes it`(accepted: String?, isCompressed: Bool) throws {
    let response = HTTPResponse(text: Self.text).gzipped(for: try head(accepted))
    #expect((response.fields["Content-Encoding"] == "gzip") == isCompressed)
    #expect(response.fields["Vary"] == "Accept-Encoding")
  }

  @Test func `is text that is worth it, whole`() throws {
    let head = try head("gzip")
    func isCompressed(_ response: HTTPResponse) -> Bool {
      response.gzipped(for: head).fields["Content-Encoding"] == "gzip"
    }
    let bytes = Array(Self.text.utf8)
    for type in ["text/html; charset=utf-8", "application/json", "image/svg+xml", "TEXT/CSS"] {
      #expect(
        isCompressed(HTTPResponse(.ok, ["Content-Type": type], body: .bytes(bytes))), "\(type)")
    }
    for type in ["image/png", "application/octet-stream", "text/event-stream", "application/zip"] {
      #expect(
        !isCompressed(HTTPResponse(.ok, ["Content-Type": type], body: .bytes(bytes))), "\(type)")
    }
    #expect(!isCompressed(HTTPResponse(text: String(Self.text.prefix(1024)))))
    #expect(isCompressed(HTTPResponse(text: String(Self.text.prefix(1025)))))
    #expect(
      !isCompressed(
        HTTPResponse(.partialContent, ["Content-Type": "text/plain"], body: .bytes(bytes))))
    #expect(
      !isCompressed(HTTPResponse(.ok, ["Content-Type": "text/plain"], body: .events(EventStream())))
    )
  }

  @Test func `has another tag, which is known again`() throws {
    let content = HTTPContent(
      .bytes(Array(Self.text.utf8)), tag: HTTPTag("abc"), fields: ["Content-Type": "text/plain"])
    let packed = content.response(to: try head("gzip")).gzipped(for: try head("gzip"))
    #expect(packed.fields["ETag"] == "\"abc-gzip\"")
    let again = try #require(
      Parsed("GET / HTTP/1.1\r\nHost: a\r\nIf-None-Match: \"abc-gzip\"\r\n\r\n").head)
    #expect(content.response(to: again).status == .notModified)
    // A part of the compressed bytes is never put together with one of the others.
    let part = try #require(
      Parsed("GET / HTTP/1.1\r\nHost: a\r\nRange: bytes=1-2\r\nIf-Range: \"abc-gzip\"\r\n\r\n").head
    )
    #expect(content.response(to: part).status == .ok)
  }

  /// Of the bytes on the way and of pieces, whatever their sizes, gzip itself makes the text again.
  @Test(arguments: [1, 100, 4096, 100_000]) func `is what gzip unpacks`(size: Int) throws {
    let bytes = Array(Self.text.utf8)
    let server = try TestServer { request in
      if request.head.path == ["bytes"] {
        return HTTPResponse(text: Self.text).gzipped(for: request.head)
      }
      let rest = Locked(bytes[...])
      let response = HTTPResponse(
        .ok, ["Content-Type": "text/plain"],
        body: .pieces {
          rest.withLock { rest -> [UInt8]? in
            if rest.isEmpty { return nil }
            defer { rest = rest.dropFirst(size) }
            return Array(rest.prefix(size))
          }
        })
      return response.gzipped(for: request.head)
    }
    for path in ["/bytes", "/pieces"] {
      let reply = try server.reply(path, "Accept-Encoding: gzip\r\n")
      #expect(reply.fields["Content-Encoding"] == "gzip")
      if size > 1 { #expect(reply.body.count < bytes.count) }
      #expect(try unpacked(reply.body) == bytes, "\(path) in pieces of \(size)")
    }
  }

  private func unpacked(_ packed: [UInt8]) throws -> [UInt8] {
    let path = NSTemporaryDirectory() + "keepsake-gzip-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(packed).write(to: URL(filePath: path))
    let run = try ProgramRun("gzip", "-dc", path)
    #expect(run.exitCode == 0, "\(run.errors)")
    return run.bytes
  }
}
