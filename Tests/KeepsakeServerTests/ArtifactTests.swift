import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHTTP
import Testing

@testable import KeepsakeServer

@Suite("The bytes of artifacts")
struct ArtifactTests {
  private static let html = Array("<!DOCTYPE html><script>alert(1)</script>".utf8)

  @Test(
    "A3: whatever bytes are declared as, a browser is never told that they are a page",
    arguments: [
      "image/png", "application/octet-stream", "text/plain", "application/json", "",
      "text/html;charset=utf-7", "x/y", "multipart/x-mixed-replace", "text/xsl",
      "application/xhtml+xml", "text/xml", "image/svg+xml", "text/html",
    ])
  func declared(type: String) async throws {
    try await Served.run { served in
      let bodies = [
        Self.html, Array(#"<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>"#.utf8),
        Array("<?xml version=\"1.0\"?><?xml-stylesheet href=\"#\"?><a/>".utf8),
      ]
      let session = try await served.store.createSession()
      for body in bodies {
        let attachment = try await session.attach(
          .init(.bytes(body), mediaType: MediaType(type), fileName: "a.html"))
        let id = try #require(attachment.artifact?.id.digest.hex)
        for path in ["/artifacts/\(id)", "/artifacts/\(id)?name=a.html", "/api/1/artifacts/\(id)"] {
          let answer = try await served.send("GET", path)
          #expect(answer.status == 200)
          #expect(answer.body == body)
          #expect(answer.fields["Content-Type"] == "application/octet-stream", "\(path)")
          #expect(answer.fields["Content-Disposition"]?.hasPrefix("attachment;") == true)
          #expect(answer.fields["X-Content-Type-Options"] == "nosniff")
          #expect(answer.fields["Content-Security-Policy"]?.contains("sandbox") == true)
          #expect(answer.fields["Content-Security-Policy"]?.contains("default-src 'none'") == true)
          #expect(answer.fields["Cache-Control"] == "private, max-age=31536000, immutable")
        }
      }
    }
  }

  @Test func `A4: what is two things at once is shown as neither`() async throws {
    try await Served.run { served in
      let session = try await served.store.createSession()
      let polyglots = [
        Array("%PDF-1.4\n".utf8) + Self.html,
        Array("GIF89a/*".utf8) + Self.html,
        Self.html + Fruit.png,
      ]
      for body in polyglots {
        let attachment = try await session.attach(.init(.bytes(body), mediaType: "image/png"))
        let id = try #require(attachment.artifact?.id.digest.hex)
        let answer = try await served.send("GET", "/artifacts/\(id)")
        let type = try #require(answer.fields["Content-Type"])
        // Shown is at most as the image that its first bytes say it is, which runs nothing.
        #expect(type == "application/octet-stream" || type == "image/gif", "\(type)")
        #expect(answer.fields["Content-Security-Policy"]?.contains("sandbox") == true)
        #expect(answer.fields["X-Content-Type-Options"] == "nosniff")
      }
    }
  }

  @Test(
    "A17: a file name is one line, and a name alone",
    arguments: [
      "a%22b.png", "a%0D%0ASet-Cookie:%20x=1.png", "a;b=c.png", "../../etc/passwd",
      "..%5C..%5Cx.png",
      "a%00b.png", "%E2%80%AEgnp.exe", "CON", ".hidden", "%C3%A9t%C3%A9.png", "//x/y.png",
    ])
  func names(name: String) async throws {
    try await Served.run { served in
      let digest = try await served.put(Fruit.png)
      let answer = try await served.send("GET", "/artifacts/\(digest)?name=\(name)")
      guard answer.status == 200 else {
        // A name with NUL in it is no request at all.
        #expect(answer.status == 400 && name.contains("%00"))
        return
      }
      #expect(answer.fields["Set-Cookie"] == nil)
      let value = try #require(answer.fields["Content-Disposition"])
      #expect(answer.fields.values(of: "Content-Disposition").count == 1)
      #expect(value.hasPrefix(#"attachment; filename=""#))
      let plain = value.dropFirst(#"attachment; filename=""#.count).prefix { $0 != "\"" }
      #expect(
        !plain.contains("/") && !plain.contains("\\") && !plain.hasPrefix(".") && plain != "CON")
      #expect(!value.unicodeScalars.contains("\u{202E}"))
      #expect(value.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
      #expect(value.utf8.count < 700)
    }
  }

  @Test(
    "D1: an address has digests and ids, and no path leads out",
    arguments: [
      "/artifacts/../../etc/passwd", "/artifacts/..%2f..%2fetc%2fpasswd", "/artifacts/%2e%2e/x",
      "/artifacts/..%5C..%5Cetc", "/artifacts/....//x", "//etc/passwd", "/artifacts/C:%5Cx",
      "/artifacts/file:///etc/passwd", "/artifacts/%00", "/artifacts/%c0%ae%c0%ae/x",
      "/artifacts/%EF%BC%8E%EF%BC%8E%EF%BC%8F", "/assets/../app.css", "/assets/..%2fapp.css",
      "/assets/%2e%2e%2fapp.css", "/api/1/artifacts/..", "/api/1/sessions/..%2f..", "/s/..%2f..",
      "/artifacts/ABCDEF", "/export/../../x", "/api/1/tools/../../../etc/artifacts",
    ])
  func paths(path: String) async throws {
    try await Served.run { served in
      let answer = try await served.send("GET", path)
      #expect([400, 404].contains(answer.status), "\(path) \(answer.status)")
      #expect(!answer.text.contains("root:"))
    }
  }

  @Test func `D1: a digest in capital letters, or longer, is no address`() async throws {
    try await Served.run { served in
      let digest = try await served.put(Fruit.png)
      for name in [
        digest.uppercased(), digest + "0", "sha256:" + digest, digest + "/", digest + "%20",
      ] {
        for place in ["/artifacts/", "/api/1/artifacts/"] {
          #expect(try await served.send("GET", place + name).status == 404, "\(name)")
        }
      }
      #expect(try await served.send("GET", "/api/1/artifacts/\(digest)").status == 200)
    }
  }

  @Test(
    "C7: a part of the bytes",
    arguments: [
      ("bytes=0-", 206, 0..<200_044), ("bytes=-5", 206, 200_039..<200_044),
      ("bytes=5-2", 200, 0..<200_044),
      ("bytes=0-0", 206, 0..<1), ("bytes=0-0,2-3", 200, 0..<200_044),
      ("bytes=18446744073709551615-", 416, 0..<0),
      ("bytes=0-18446744073709551615", 206, 0..<200_044),
      ("items=0-1", 200, 0..<200_044), ("bytes=200044-", 416, 0..<0), ("bytes=-0", 416, 0..<0),
      ("bytes=200043-", 206, 200_043..<200_044), ("bytes=-999999", 206, 0..<200_044),
    ])
  func ranges(range: String, status: Int, expected: Range<Int>) async throws {
    try await Served.run { served in
      let body = Fruit.wav
      let session = try await served.store.createSession()
      let whole = body + [UInt8](repeating: 7, count: 200_044 - body.count)
      let attachment = try await session.attach(.init(.bytes(whole)))
      let id = try #require(attachment.artifact?.id.digest.hex)
      for place in ["/artifacts/", "/api/1/artifacts/"] {
        let fields = [Served.authorization, ("Range", range)]
        let answer = try await served.send("GET", place + id, fields)
        #expect(answer.status == status)
        let head = try await served.send("HEAD", place + id, fields)
        #expect(head.status == status)
        #expect(head.body.isEmpty)
        if status == 416 {
          #expect(answer.fields["Content-Range"] == "bytes */200044")
          if place.hasPrefix("/api") { #expect(answer.problem == "range") }
          continue
        }
        #expect(answer.body.elementsEqual(whole[expected]))
        #expect(head.fields["Content-Length"] == "\(expected.count)")
        if status == 206 {
          #expect(
            answer.fields["Content-Range"]
              == "bytes \(expected.lowerBound)-\(expected.upperBound - 1)/200044")
        }
      }
    }
  }

  @Test func `C7: a range of another version is the whole, and an empty artifact has none`()
    async throws
  {
    try await Served.run { served in
      let digest = try await served.put(Fruit.png)
      for (tag, status) in [
        ("\"\(digest)\"", 206), ("W/\"\(digest)\"", 200), ("\"other\"", 200), ("*", 200),
      ] {
        let answer = try await served.send(
          "GET", "/api/1/artifacts/\(digest)",
          [Served.authorization, ("Range", "bytes=0-3"), ("If-Range", tag)])
        #expect(answer.status == status, "\(tag)")
      }
      let empty = try await served.put([])
      #expect(try await served.send("GET", "/api/1/artifacts/\(empty)").body.isEmpty)
      let part = try await served.send(
        "GET", "/api/1/artifacts/\(empty)", [Served.authorization, ("Range", "bytes=0-")])
      #expect(part.status == 416)
    }
  }

  @Test func `C8: who has the bytes already is told so`() async throws {
    try await Served.run { served in
      let digest = try await served.put(Fruit.png)
      let many = (0..<150).map { "\"\($0)\"" }.joined(separator: ", ")
      for (field, value, status) in [
        ("If-None-Match", "*", 304), ("If-None-Match", "\"\(digest)\"", 304),
        ("If-None-Match", "W/\"\(digest)\"", 304), ("If-None-Match", "\(many), \"\(digest)\"", 304),
        ("If-None-Match", many, 200), ("If-None-Match", "\"", 200), ("If-Match", "\"other\"", 412),
        ("If-Match", "\"\(digest)\"", 200), ("If-Match", "*", 200),
        ("If-Modified-Since", "yesterday", 200),
        ("If-Modified-Since", "Sat, 99 Foo 9999 99:99:99 GMT", 200),
      ] {
        let answer = try await served.send(
          "GET", "/api/1/artifacts/\(digest)", [Served.authorization, (field, value)])
        #expect(answer.status == status, "\(field): \(value.prefix(80))")
        if status == 304 { #expect(answer.body.isEmpty) }
        if status == 412 { #expect(answer.problem == "changed") }
        if status < 400 { #expect(answer.fields["ETag"] == "\"\(digest)\"") }
      }
    }
  }

  @Test func `a file that was altered is an error, and never other bytes`() async throws {
    try await Served.run { served in
      let fruit = try await Fruit(in: served.store)
      let hex = fruit.recording.digest.hex
      let place = served.folder.url.appending(
        path: "Chats.keepsake/artifacts/\(hex.prefix(2))/\(hex.dropFirst(2))")
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: place.path)
      var bytes = try Data(contentsOf: place)
      bytes[100] ^= 1
      try bytes.write(to: place)
      for path in ["/api/1/artifacts/\(hex)", "/artifacts/\(hex)"] {
        let answer = try await served.send("GET", path)
        #expect(answer.status == 500)
        #expect(!answer.text.contains(served.folder.url.path))
      }
      try FileManager.default.removeItem(at: place)
      let gone = try await served.send("GET", "/api/1/artifacts/\(hex)")
      #expect(gone.status == 410)
      #expect(gone.problem == "artifact-missing")
      #expect(!gone.text.contains(served.folder.url.path))
    }
  }
}
