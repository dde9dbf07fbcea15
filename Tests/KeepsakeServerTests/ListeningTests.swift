import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHTTP
import Testing

@testable import KeepsakeServer

@Suite("Where a server listens")
struct ListeningTests {
  @Test func `B7: a socket in the file system is its owner's alone, who proves nothing more`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path("s")
    try await Served.run({
      $0.listener = .unix(path: path)
      $0.token = nil
    }) { served in
      #expect(served.server.invitation() == nil)
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      let client = try Client(unixPath: path)
      try await client.send(Asked(path: "/api/1/sessions", host: "localhost").bytes())
      #expect(try await client.answer().status == 200)
      // A page of a browser that somebody leads here by a proxy.
      let other = try Client(unixPath: path)
      try await other.send(
        Asked(
          path: "/api/1/sessions", host: "localhost", fields: [("Origin", "http://evil.example")]
        )
        .bytes())
      #expect(try await other.answer().status == 403)
    }
    #expect(try folder.names.isEmpty)
  }

  @Test func `a socket in the file system with a token asks for it`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s")
    try await Served.run({ $0.listener = .unix(path: path) }) { _ in
      for (fields, status) in [([], 401), ([Served.authorization], 200)] {
        let client = try Client(unixPath: path)
        try await client.send(
          Asked(path: "/api/1/sessions", host: "localhost", fields: fields).bytes())
        #expect(try await client.answer().status == status)
      }
    }
  }

  @Test func `a socket that somebody answers is not taken from them`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s")
    try await Served.run({ $0.listener = .unix(path: path) }) { served in
      var options = StoreServer.Options()
      options.listener = .unix(path: path)
      #expect(throws: FileError.self) { try StoreServer(served.store, options) }
    }
  }

  @Test func `B1: a name that a proxy asks by is one of the server's, encrypted or not`()
    async throws
  {
    try await Served.run({ $0.hosts = ["chats.example", "chats.example:8443"] }) { served in
      for host in ["chats.example", "chats.example:8443", "Chats.Example"] {
        #expect(try await served.send("GET", "/api/1/stats", host: host).status == 200, "\(host)")
      }
      #expect(try await served.send("GET", "/api/1/stats", host: "chats.example:1").status == 403)
      for (origin, status) in [
        ("https://chats.example", 201), ("http://chats.example", 201),
        ("https://chats.example:8443", 201), ("https://other.example", 403),
        ("https://chats.example.evil.com", 403), ("ftp://chats.example", 403),
      ] {
        let answer = try await served.send(
          "POST", "/api/1/sessions",
          [Served.authorization, ("Content-Type", "application/json"), ("Origin", origin)],
          body: Array("{}".utf8), host: "chats.example")
        #expect(answer.status == status, "\(origin)")
      }
    }
  }

  @Test func `the link of a server at every address names the host that was given`() async throws {
    try await Served.run({
      $0.listener = .address("0.0.0.0", port: 0)
      $0.hosts = ["chats.example:80"]
    }) { served in
      #expect(served.server.invitation()?.hasPrefix("http://chats.example:80/?t=") == true)
      let named = try await served.send("GET", "/api/1/stats", host: "chats.example:80")
      let unnamed = try await served.send("GET", "/api/1/stats")
      #expect(named.status == 200)
      #expect(unnamed.status == 403)
    }
  }

  @Test(arguments: [
    "", "short", String(repeating: "a", count: 31), String(repeating: "a", count: 300),
  ])
  func `B5: a token that somebody could guess is refused`(token: String) async throws {
    await #expect(throws: KeepsakeError.self) {
      try await Served.run({ $0.token = token }) { _ in }
    }
  }
}
