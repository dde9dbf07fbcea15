import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHTTP
import KeepsakeTestSupport
import Testing

@testable import KeepsakeServer

/// The program as a person starts it, and as it dies.
@Suite("keepsake serve", .serialized)
struct ServeCommandTests {
  private func store(_ folder: TemporaryFolder) async throws -> String {
    let store = try await Store(at: folder.url.appending(path: "Chats.keepsake"))
    _ = try await Fruit(in: store)
    await store.close()
    return folder.path("Chats.keepsake")
  }

  private func send(
    _ port: Int, _ method: String, _ path: String, _ fields: [(String, String)],
    _ body: [UInt8]? = nil
  ) async throws -> Answer {
    let client = try Client(port: port)
    try await client.send(
      Asked(method: method, path: path, host: "127.0.0.1:\(port)", fields: fields, body: body)
        .bytes())
    return try await client.answer(isHead: method == "HEAD")
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  private func code(_ arguments: [String], store: String) async throws -> (Int32, String) {
    let process = try ServeProcess(["serve"] + arguments, store: store)
    // What is refused ends by itself.
    let code = try await process.end()
    return (code, try process.error)
  }

  @Test func `what was answered is there after kill -9`() async throws {
    let folder = try TemporaryFolder()
    let path = try await store(folder)
    let token = folder.path("token")
    let session = UUID().uuidString.lowercased()
    var acknowledged = 0
    for round in 0..<6 {
      let process = try ServeProcess(["serve", "--token-file", token], store: path)
      let port = try await process.port()
      let secret = try String(contentsOfFile: token, encoding: .utf8).trimmingCharacters(
        in: .newlines)
      let fields = [("Authorization", "Bearer \(secret)"), ("Content-Type", "application/json")]
      let made = try await send(
        port, "POST", "/api/1/sessions", fields, Array(#"{"id": "\#(session)"}"#.utf8))
      #expect(made.status == (round == 0 ? 201 : 200))
      // All that was acknowledged is there, in order, and nothing else but at most the one that got no answer.
      let page = try await send(
        port, "GET", "/api/1/sessions/\(session)/entries?from=0&limit=1000", fields)
      let texts = try #require(try page.json["entries"]?.arrayValue).map { $0["text"]?.stringValue }
      #expect(texts == (0..<acknowledged).map { "entry \($0)" })
      let bytes = [UInt8](repeating: UInt8(round), count: 150_000 + round)
      let digest = SHA256.digest(of: bytes).hex
      for count in 0...round {
        let answer: Answer
        if count == round {
          #expect(
            try await send(port, "PUT", "/api/1/artifacts/\(digest)", [fields[0]], bytes).status
              == 201)
        }
        let attachments =
          count == round ? #", "attachments": [{"artifact": "sha256:\#(digest)"}]"# : ""
        answer = try await send(
          port, "POST", "/api/1/sessions/\(session)/entries",
          fields + [("Idempotency-Key", "key \(acknowledged)")],
          Array(#"{"kind": "prompt", "text": "entry \#(acknowledged)"\#(attachments)}"#.utf8))
        #expect(answer.status == 201, "\(answer.text)")
        acknowledged += 1
      }
      process.kill()
      _ = try await process.end()
      let store = try await Store(at: URL(filePath: path), options: .readOnly)
      let stored = try await store.session(try #require(UUID(uuidString: session)))
      #expect(try await stored.count() == acknowledged)
      let last = try await stored.entry(at: acknowledged - 1)
      let artifact = try #require(last.attachments.first?.artifact)
      #expect(Array(try await artifact.data()) == bytes)
      await store.close()
    }
  }

  @Test func `two servers of one store take turns, and tell the same`() async throws {
    let folder = try TemporaryFolder()
    let path = try await store(folder)
    let token = folder.path("token")
    let first = try ServeProcess(["serve", "--token-file", token], store: path)
    let ports = [try await first.port()]
    let second = try ServeProcess(["serve", "--token-file", token], store: path)
    let both = ports + [try await second.port()]
    let secret = try String(contentsOfFile: token, encoding: .utf8).trimmingCharacters(
      in: .newlines)
    let fields = [("Authorization", "Bearer \(secret)"), ("Content-Type", "application/json")]
    let session = UUID().uuidString.lowercased()
    _ = try await send(
      both[0], "POST", "/api/1/sessions", fields, Array(#"{"id": "\#(session)"}"#.utf8))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, port) in both.enumerated() {
        group.addTask {
          for number in 0..<20 {
            let answer = try await self.send(
              port, "POST", "/api/1/sessions/\(session)/entries", fields,
              Array(#"{"kind": "prompt", "text": "\#(index) \#(number)"}"#.utf8))
            #expect(answer.status == 201, "\(answer.text)")
          }
        }
      }
      try await group.waitForAll()
    }
    var pages: [[UInt8]] = []
    for port in both {
      pages.append(
        try await send(port, "GET", "/api/1/sessions/\(session)/entries?from=0", fields).body)
    }
    #expect(pages[0] == pages[1])
    let entries = try #require(try JSON(validating: pages[0])["entries"]?.arrayValue)
    #expect(entries.count == 40)
    for index in 0..<2 {
      let own = entries.compactMap { $0["text"]?.stringValue }.filter { $0.hasPrefix("\(index) ") }
      #expect(own == (0..<20).map { "\(index) \($0)" })
    }
    for process in [first, second] {
      process.interrupt()
      #expect(try await process.end() == 130)
    }
  }

  @Test func `B6: the token and what is said are in no output`() async throws {
    let folder = try TemporaryFolder()
    let path = try await store(folder)
    let token = folder.path("token")
    let process = try ServeProcess(["serve", "--token-file", token], store: path)
    let port = try await process.port()
    #expect(try mode(token) == 0o600)
    let secret = try String(contentsOfFile: token, encoding: .utf8).trimmingCharacters(
      in: .newlines)
    #expect(secret.utf8.count == 64)
    let line = try #require(try await process.firstLine())
    let target = String(line.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" })
    let opened = try await send(port, "GET", target, [("Accept", "text/html")])
    #expect(opened.status == 200)
    let cookie = String(try #require(opened.fields["Set-Cookie"]).prefix { $0 != ";" })
    let fields = [("Authorization", "Bearer \(secret)")]
    for path in [
      "/", "/api/1/sessions", "/api/1/search?q=banana", "/nothing", "/api/1/sessions/canary",
    ] {
      _ = try await send(port, "GET", path, fields)
      _ = try await send(port, "GET", path, [("Cookie", cookie)])
      _ = try await send(port, "GET", path, [("Authorization", "Bearer wrong-\(secret)")])
    }
    process.interrupt()
    #expect(try await process.end() == 130)
    let output = try process.output
    #expect(output.split(separator: "\n").count == 1)
    let said = output + (try process.error)
    for word in [
      secret, String(cookie.drop { $0 != "=" }.dropFirst()), "banana", "canary", "Fruit",
    ] {
      #expect(!said.contains(word), "\(word)")
    }
    // The token that was made is used again.
    let again = try ServeProcess(["serve", "--token-file", token], store: path)
    #expect(try await send(try await again.port(), "GET", "/api/1/stats", fields).status == 200)
  }

  @Test func `B5, B7: what would let others in is refused`() async throws {
    let folder = try TemporaryFolder()
    let path = try await store(folder)
    func write(_ name: String, _ text: String, _ mode: Int) throws -> String {
      try Data(text.utf8).write(to: URL(filePath: folder.path(name)))
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: folder.path(name))
      return folder.path(name)
    }
    let good = String(repeating: "k", count: 40) + "\n"
    let open = try write("open", good, 0o644)
    let short = try write("short", "short\n", 0o600)
    let empty = try write("empty", "", 0o600)
    let kept = try write("kept", good, 0o600)
    for (arguments, expected, words) in [
      (["--listen", "127.0.0.1"], Int32(64), "--token-file"),
      (["--listen", "0.0.0.0", "--token-file", kept], 64, "--host"),
      (["--listen", "::", "--token-file", kept], 64, "--host"),
      (["--socket", folder.path("s"), "--listen", "127.0.0.1"], 64, "--listen"),
      (["--socket", folder.path("s"), "--port", "1"], 64, "--port"),
      (["--port", "70000"], 64, "65535"),
      (["--host", "http://x/"], 64, "--host"), (["--token-file", open], 1, "chmod 600"),
      (["--token-file", short], 1, "32 characters"), (["--token-file", empty], 1, "empty"),
      (["--token-file", folder.path("none/token")], 1, "none"),
    ] {
      let (code, error) = try await code(arguments, store: path)
      #expect(code == expected, "\(arguments): \(error)")
      #expect(error.contains(words), "\(arguments): \(error)")
      #expect(!error.contains(good.dropLast()), "\(arguments)")
    }
    // A place that somebody has is not taken from them.
    let process = try ServeProcess(["serve"], store: path)
    let port = try await process.port()
    let (code, error) = try await code(["--port", "\(port)"], store: path)
    #expect(code == 1, "\(error)")
  }

  @Test func `a socket in the file system is its owner's alone, and goes with the server`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = try await store(folder)
    let socket = folder.path("s")
    let process = try ServeProcess(["serve", "--socket", socket], store: path)
    #expect(try await process.firstLine() == socket)
    #expect(try mode(socket) == 0o600)
    let client = try Client(unixPath: socket)
    try await client.send(Asked(path: "/api/1/stats", host: "localhost").bytes())
    #expect(try await client.answer().status == 200)
    process.interrupt()
    #expect(try await process.end() == 130)
    #expect(!FileManager.default.fileExists(atPath: socket))
  }

  @Test func `with --read-only nothing of the store changes`() async throws {
    let folder = try TemporaryFolder()
    let path = try await store(folder)
    let token = folder.path("token")
    let process = try ServeProcess(["serve", "--read-only", "--token-file", token], store: path)
    let port = try await process.port()
    let secret = try String(contentsOfFile: token, encoding: .utf8).trimmingCharacters(
      in: .newlines)
    let fields = [("Authorization", "Bearer \(secret)"), ("Content-Type", "application/json")]
    let list = try await send(port, "GET", "/api/1/sessions", fields)
    let id = try #require(try list.json["sessions"]?[0]?["id"]?.stringValue)
    for (method, path) in [
      ("POST", "/api/1/sessions"), ("PATCH", "/api/1/sessions/\(id)"),
      ("DELETE", "/api/1/sessions/\(id)"),
      ("POST", "/api/1/sessions/\(id)/entries"),
      ("PUT", "/api/1/artifacts/\(SHA256.digest(of: [1]).hex)"),
    ] {
      let answer = try await send(port, method, path, fields, Array("{}".utf8))
      #expect(answer.status == 403, "\(method)")
      #expect(answer.problem == "refused")
    }
    #expect(try await send(port, "GET", "/api/1/sessions", fields).body == list.body)
  }
}
