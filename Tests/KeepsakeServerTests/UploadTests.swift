import Foundation
import Keepsake
import KeepsakeFiles
import Testing

@testable import KeepsakeHTTP
@testable import KeepsakeServer

@Suite("Uploads")
struct UploadTests {
  private static func path(_ bytes: [UInt8]) -> String {
    "/api/1/artifacts/\(SHA256.digest(of: bytes).hex)"
  }

  /// Bytes that repeat after a while, and nowhere with the size of a piece.
  private static func random(_ count: Int) -> [UInt8] {
    var number: UInt64 = 88_172_645_463_325_252
    let block = (0..<10_007).map { _ in
      number ^= number << 13
      number ^= number >> 7
      number ^= number << 17
      return UInt8(truncatingIfNeeded: number)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + block.count)
    while bytes.count < count { bytes += block }
    return Array(bytes[..<count])
  }

  private func put(
    _ served: Served, _ path: String, _ body: [UInt8], range: String? = nil
  ) async throws -> Answer {
    try await served.send(
      "PUT", path, [Served.authorization] + (range.map { [("Content-Range", $0)] } ?? []),
      body: body)
  }

  @Test(arguments: [0, 1, 1000, 131_072, 131_073, 3_000_000])
  func `what is put is there, byte for byte, and is put once`(size: Int) async throws {
    try await Served.run { served in
      let bytes = Self.random(size)
      let path = Self.path(bytes)
      #expect(try await served.send("HEAD", path).status == 404)
      let made = try await put(served, path, bytes)
      #expect(made.status == 201, "\(made.text)")
      #expect(made.fields["Location"] == path)
      let head = try await served.send("HEAD", path)
      #expect(head.status == 200)
      #expect(head.fields["Content-Length"] == "\(size)")
      #expect(try await served.send("GET", path).body == bytes)
      #expect(try await put(served, path, bytes).status == 204)
      #expect(try await served.store.statistics().artifacts == 1)
    }
  }

  @Test func `bytes that are not those of the digest are refused, and nothing of them is kept`()
    async throws
  {
    try await Served.run { served in
      for size in [10, 500_000, 9 << 20] {
        let bytes = Self.random(size)
        let path = Self.path(bytes)
        var wrong = bytes
        wrong[size / 2] ^= 1
        let answer = try await put(served, path, wrong)
        #expect(answer.status == 422)
        #expect(answer.problem == "digest")
        #expect(!answer.text.contains(served.folder.url.path))
        let head = try await served.send("HEAD", path)
        #expect(head.status == 404)
        #expect(head.fields["Upload-Offset"] == nil)
        #expect(try await put(served, path, bytes).status == 201)
      }
      #expect(try await served.store.statistics().artifacts == 3)
      // Beside the sign that somebody has the store open, which is empty.
      let incoming = served.folder.url.appending(path: "Chats.keepsake/incoming")
      for name in try FileManager.default.contentsOfDirectory(atPath: incoming.path) {
        #expect(try Data(contentsOf: incoming.appending(path: name)).isEmpty, "\(name)")
      }
    }
  }

  @Test func `an upload above 8 MiB goes on after the connection was cut`() async throws {
    try await Served.run { served in
      let bytes = Self.random((8 << 20) + 12_345)
      let path = Self.path(bytes)
      let client = try served.client()
      let asked = Asked(
        method: "PUT", path: path, host: served.host, fields: [Served.authorization], body: bytes)
      try await client.send(asked.bytes(bodyPrefix: 3_000_000))
      client.socket.end()
      let offset = try await Self.offset(served, path, atLeast: 1)
      #expect(offset > 0 && offset <= 3_000_000)
      // Not from elsewhere.
      let wrong = try await put(
        served, path, Array(bytes[100..<200]), range: "bytes 100-199/\(bytes.count)")
      #expect(wrong.status == 409)
      #expect(wrong.problem == "offset")
      #expect(wrong.fields["Upload-Offset"] == "\(offset)")
      let middle = offset + 1_000_000
      let part = try await put(
        served, path, Array(bytes[offset..<middle]),
        range: "bytes \(offset)-\(middle - 1)/\(bytes.count)")
      #expect(part.status == 202)
      #expect(part.fields["Upload-Offset"] == "\(middle)")
      let rest = try await put(
        served, path, Array(bytes[middle...]),
        range: "bytes \(middle)-\(bytes.count - 1)/\(bytes.count)")
      #expect(rest.status == 201, "\(rest.text)")
      #expect(try await served.send("GET", path).body == bytes)
      #expect(try await served.send("HEAD", path).fields["Upload-Offset"] == nil)
    }
  }

  /// The number of bytes that have come, once the server has noticed that the connection is cut.
  private static func offset(_ served: Served, _ path: String, atLeast: Int) async throws -> Int {
    for _ in 0..<3000 {
      let head = try await served.send("HEAD", path)
      let probe = try await served.send(
        "PUT", path, [Served.authorization, ("Content-Range", "bytes 1-1/9")], body: [0])
      if probe.problem == "offset", let text = head.fields["Upload-Offset"], let offset = Int(text),
        offset >= atLeast, probe.fields["Upload-Offset"] == text
      {
        return offset
      }
      try await Task.sleep(for: .milliseconds(10))
    }
    return 0
  }

  @Test func `a small upload that was cut off leaves nothing, and begins anew`() async throws {
    try await Served.run { served in
      let bytes = Self.random(1_000_000)
      let path = Self.path(bytes)
      let client = try served.client()
      let asked = Asked(
        method: "PUT", path: path, host: served.host, fields: [Served.authorization], body: bytes)
      try await client.send(asked.bytes(bodyPrefix: 300_000))
      client.socket.end()
      var status = 409
      for _ in 0..<3000 where status == 409 {
        status = try await put(served, path, bytes).status
        try await Task.sleep(for: .milliseconds(2))
      }
      #expect(status == 201)
      #expect(try await served.send("GET", path).body == bytes)
    }
  }

  @Test(
    arguments: [
      "bytes 0-9", "bytes 0-9/9", "bytes 5-4/20", "bytes 0-8/20", "bytes 0-10/20", "items 0-9/20",
      "bytes=0-9/20", "bytes -0-9/20", "bytes 0-9/*", "bytes */20",
      "bytes 0-9/99999999999999999999",
      "bytes  0-9/20", "bytes 0 - 9/20", "0-9/20", "bytes 0-9/20/30", "",
      "bytes 9223372036854775800-9223372036854775809/9223372036854775807",
      "bytes 0x0-9/20", "bytes +0-9/20",
    ])
  func `a range that does not fit is told of`(range: String) async throws {
    try await Served.run { served in
      let bytes = Self.random(20)
      let answer = try await put(served, Self.path(bytes), Array(bytes[..<10]), range: range)
      #expect(answer.problem == "invalid", "\(range): \(answer.status)")
      #expect(try await served.send("HEAD", Self.path(bytes)).fields["Upload-Offset"] == nil)
    }
  }

  @Test func `two who send the same at once end with one artifact`() async throws {
    try await Served.run { served in
      let bytes = Self.random(2_000_000)
      let path = Self.path(bytes)
      let asked = Asked(
        method: "PUT", path: path, host: served.host, fields: [Served.authorization], body: bytes)
      let first = try served.client()
      try await first.send(asked.bytes(bodyPrefix: 500_000))
      // The first has begun when its bytes are there.
      for _ in 0..<3000 {
        if try await served.send("HEAD", path).fields["Upload-Offset"] != nil { break }
        try await Task.sleep(for: .milliseconds(2))
      }
      let other = try served.client()
      try await other.send(asked.bytes(bodyPrefix: 1000))
      other.socket.endSending()
      let second = try await other.answer()
      #expect(second.status == 409)
      #expect(second.problem == "conflict")
      #expect(second.fields["Retry-After"] != nil)
      try await first.send(Array(bytes[500_000...]))
      #expect(try await first.answer().status == 201)
      #expect(try await put(served, path, bytes).status == 204)
      #expect(try await served.send("GET", path).body == bytes)
    }
  }

  @Test func `an upload says its size, and is not sent where it is refused`() async throws {
    try await Served.run { served in
      let path = Self.path([1])
      let client = try served.client()
      try await client.send(
        "PUT \(path) HTTP/1.1\r\nHost: \(served.host)\r\nAuthorization: Bearer \(Served.token)\r\n\r\n"
      )
      let answer = try await client.answer()
      #expect(answer.status == 411)
      #expect(answer.problem == "length")
      let waiting = try served.client()
      try await waiting.send(
        "PUT \(path) HTTP/1.1\r\nHost: \(served.host)\r\nContent-Length: 1000000000\r\nExpect: 100-continue\r\n\r\n"
      )
      #expect(try await waiting.answer().status == 401)
      for name in ["x", String(repeating: "A", count: 64), "sha256:" + SHA256.digest(of: [1]).hex] {
        #expect(
          try await put(served, "/api/1/artifacts/\(name)", [1]).problem == "invalid", "\(name)")
      }
    }
  }

  @Test func `an upload that nobody goes on with is given up, and none outlives the server`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = try await Store(at: folder.url.appending(path: "Chats.keepsake"))
    let bytes = Self.random(100)
    let uploads = Uploads(store)
    let id = Artifact.ID(SHA256.digest(of: bytes))
    func stream(_ bytes: [UInt8]) -> HTTPBodyStream {
      let rest = Locked(bytes)
      return HTTPBodyStream(length: Int64(bytes.count)) { limit in
        rest.withLock { rest in
          let piece = Array(rest.prefix(limit))
          rest.removeFirst(piece.count)
          return piece
        }
      }
    }
    let part = try #require(UploadPart("bytes 0-9/100", of: 10))
    #expect(try await uploads.take(stream(Array(bytes[..<10])), as: id, part) == false)
    #expect(uploads.offset(of: id) == 10)
    uploads.giveUp(olderThan: .seconds(60))
    #expect(uploads.offset(of: id) == 10)
    uploads.giveUp(olderThan: .zero)
    #expect(uploads.offset(of: id) == 0)
    #expect(try await uploads.take(stream(Array(bytes[..<10])), as: id, part) == false)
    #expect(try folder.names.count == 2)
    // If there are more unfinished uploads than the server keeps, it removes the oldest ones.
    for number in 0..<(Uploads.most + 9) {
      let other = Artifact.ID(SHA256.digest(of: [UInt8(number)]))
      #expect(try await uploads.take(stream(Array(bytes[..<10])), as: other, part) == false)
    }
    uploads.giveUp(olderThan: .seconds(3600))
    let kept = (0..<(Uploads.most + 9)).filter {
      uploads.offset(of: Artifact.ID(SHA256.digest(of: [UInt8($0)]))) == 10
    }
    #expect(kept == Array(9..<(Uploads.most + 9)))
    #expect(uploads.offset(of: id) == 0)
    uploads.close()
    #expect(try folder.names == ["Chats.keepsake"])
    await #expect(throws: Problem.self) {
      try await uploads.take(stream(bytes), as: id, nil)
    }
    await store.close()
  }
}
