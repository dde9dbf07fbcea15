import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHTTP
import KeepsakeTestSupport
import Testing

@testable import KeepsakeServer

@Suite("Who may ask, and from where")
struct GateTests {
  /// Fields that every answer has, whatever it says.
  private static let common = [
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("X-Frame-Options", "DENY"), ("Cache-Control", "no-store"),
  ]

  @Test(
    "B1: a host that is not this server's is refused, and a malformed one is no request",
    arguments: [
      ("evil.example", 403), ("127.0.0.1.evil.com", 403), ("localhost:1", 403), ("[::1]", 403),
      ("localhost.:PORT", 403), ("127.0.0.1", 403), ("", 400), ("user@127.0.0.1:PORT", 400),
      ("127.0.0.1:PORT,evil.example", 400), ("127.0.0.1:99999", 400), ("127.0.0.1:", 400),
      ("LOCALHOST:PORT", 200), ("localhost:PORT", 200), ("[::1]:PORT", 200),
      ("127.0.0.1:PORT", 200),
    ])
  func hosts(host: String, status: Int) async throws {
    try await Served.run { served in
      let host = host.replacingOccurrences(of: "PORT", with: "\(served.port)")
      let answer = try await served.send("GET", "/api/1/stats", host: host)
      #expect(answer.status == status, "\(host)")
      if status == 403 { #expect(answer.problem == "refused") }
    }
  }

  @Test func `B1: a request without a host, with two, or with another in its target, is none`()
    async throws
  {
    try await Served.run { served in
      let requests = [
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: \(served.host)\r\nHost: \(served.host)\r\n\r\n",
        "GET http://evil.example/ HTTP/1.1\r\nHost: \(served.host)\r\n\r\n",
      ]
      for request in requests {
        let client = try served.client()
        try await client.send(request)
        let answer = try await client.answer()
        #expect([400, 403].contains(answer.status), "\(request)")
        for (name, value) in Self.common { #expect(answer.fields[name] == value, "\(name)") }
      }
    }
  }

  @Test(
    "B3, B4, B8: a page of another origin can't ask, whatever it sends",
    arguments: [
      [("Origin", "http://evil.example")], [("Origin", "null")], [("Origin", "http://127.0.0.1:1")],
      [("Origin", "https://evil.example")], [("Origin", "file://")], [("Origin", "")],
      [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")],
      [
        ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors"),
        ("Sec-Fetch-Dest", "image"),
      ],
      [
        ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"),
        ("Sec-Fetch-Dest", "iframe"),
      ],
    ])
  func origins(fields: [(String, String)]) async throws {
    try await Served.run { served in
      for path in ["/api/1/sessions", "/", "/events"] {
        let answer = try await served.send("GET", path, [Served.authorization] + fields)
        #expect(answer.status == 403, "\(path) \(fields)")
        #expect(!answer.head.lowercased().contains("access-control"))
      }
      let answer = try await served.send(
        "POST", "/api/1/sessions", json: #"{"title": "no"}"#, fields)
      #expect(answer.status == 403)
      #expect(try await served.store.sessions().sessions.isEmpty)
    }
  }

  @Test func `B3: what a form can send changes nothing`() async throws {
    try await Served.run { served in
      let cookie = try await Self.cookie(of: served)
      let types = [
        "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
        "application/json; charset=utf-16", "application/jsonp", "text/json", "",
      ]
      for type in types {
        let answer = try await served.send(
          "POST", "/api/1/sessions",
          [("Cookie", cookie), ("X-Keepsake", "1"), ("Content-Type", type)],
          body: Array(#"{"title": "no"}"#.utf8))
        #expect(answer.status == 415, "\(type)")
        #expect(answer.problem == "type")
      }
      // With the right type, and without the field that no form sends.
      let answer = try await served.send(
        "POST", "/api/1/sessions", [("Cookie", cookie), ("Content-Type", "application/json")],
        body: Array(#"{"title": "no"}"#.utf8))
      #expect(answer.status == 403)
      #expect(try await served.store.sessions().sessions.isEmpty)
      let done = try await served.send(
        "POST", "/api/1/sessions",
        [
          ("Cookie", cookie), ("Content-Type", "application/json"), ("X-Keepsake", "1"),
          ("Origin", "http://\(served.host)"),
        ], body: Array(#"{"title": "yes"}"#.utf8))
      #expect(done.status == 201)
    }
  }

  @Test(
    "B5: who proves nothing gets nothing",
    arguments: [
      [], [("Authorization", "Bearer")], [("Authorization", "Bearer ")],
      [("Authorization", "Bearer \(Served.token.dropLast())x")],
      [("Authorization", "Bearer \(Served.token.dropLast())")],
      [("Authorization", "Bearer \(Served.token)0")],
      [("Authorization", "Basic \(Served.token)")], [("Authorization", Served.token)],
      [("Cookie", "keepsake=\(Served.token)")], [("X-Keepsake", "1")],
      [("Authorization", "Bearer x"), ("Cookie", "")],
    ])
  func proofs(fields: [(String, String)]) async throws {
    try await Served.run { served in
      let fruit = try await Fruit(in: served.store)
      let other = String(repeating: "0", count: 64)
      // B12, B13: the digest of an artifact proves nothing, and nobody learns what is there.
      let paths = [
        "/api/1/sessions", "/api/1/sessions?t=\(Served.token)", "/", "/api/1/nothing", "/events",
        fruit.path, "/api/1/artifacts/\(fruit.image.digest.hex)", "/api/1/artifacts/\(other)",
        "/artifacts/\(fruit.image.digest.hex)", "/assets/app.css",
      ]
      for path in paths {
        for method in ["GET", "HEAD", "PUT", "DELETE"] {
          let answer = try await served.send(
            method, path, fields, body: method == "PUT" ? [1] : nil)
          #expect(answer.status == 401, "\(method) \(path)")
          #expect(answer.fields["WWW-Authenticate"] == #"Bearer realm="keepsake""#)
          #expect(!answer.text.contains(Served.token))
          for (name, value) in Self.common { #expect(answer.fields[name] == value, "\(name)") }
        }
      }
      #expect(try await served.store.sessions().sessions.count == 2)
    }
  }

  @Test func `B5: who goes on trying is told to wait, and the right token never is`() async throws {
    try await Served.run { served in
      var statuses: [Int] = []
      // The server counts wrong tokens for ten seconds. On a busy machine the requests may take longer, and are sent again.
      for _ in 0..<5 where !statuses.contains(429) {
        statuses = try await withThrowingTaskGroup(of: Int.self) { group in
          for _ in 0..<WrongTokens.most + 5 {
            group.addTask {
              let answer = try await served.send(
                "GET", "/api/1/stats", [("Authorization", "Bearer wrong")])
              if answer.status == 429 {
                #expect(answer.problem == "too-many-tries")
                #expect(answer.fields["Retry-After"] != nil)
              }
              return answer.status
            }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
      }
      #expect(statuses.contains(429))
      #expect(statuses.count { $0 == 401 } >= WrongTokens.most)
      #expect(try await served.send("GET", "/api/1/stats").status == 200)
      // Whoever brings no token is a browser that was not let in yet.
      #expect(try await served.send("GET", "/api/1/stats", []).status == 401)
    }
  }

  @Test func `B5: wrong tokens are forgotten after a while`() {
    let tries = WrongTokens()
    let begun = Instant.now
    let waits = (0...WrongTokens.most).map { _ in tries.count(at: begun) }
    #expect(waits.dropLast().allSatisfy { $0 == nil })
    #expect(waits.last == 10)
    #expect(tries.count(at: begun.advanced(by: .seconds(9))) == 10)
    #expect(tries.count(at: begun.advanced(by: .seconds(10))) == nil)
  }

  @Test func `a store that was moved away is not told of, until it is back`() async throws {
    try await Served.run { served in
      let fruit = try await Fruit(in: served.store)
      let elsewhere = served.folder.url.appending(path: "Moved.keepsake")
      #expect(try await served.send("GET", fruit.path).status == 200)
      try FileManager.default.moveItem(at: served.store.url, to: elsewhere)
      for path in [fruit.path, "/api/1/sessions", "/api/1/stats"] {
        let answer = try await served.send("GET", path)
        #expect(answer.status == 503)
        #expect(answer.problem == "store-gone")
      }
      let page = try await served.send(
        "GET", "/", [Served.authorization, ("Accept", "text/html")])
      #expect(page.status == 503)
      #expect(page.text.contains("moved or replaced"))
      #expect(try await served.send("GET", "/assets/app.css").status == 200)
      try FileManager.default.moveItem(at: elsewhere, to: served.store.url)
      #expect(try await served.send("GET", fruit.path).status == 200)
    }
  }

  @Test func `what is no request gets a problem, as every error`() async throws {
    try await Served.run { served in
      for (request, status, code) in [
        ("GET /a b HTTP/1.1\r\nHost: \(served.host)\r\n\r\n", 400, "invalid"),
        ("GET / HTTP/2.0\r\nHost: \(served.host)\r\n\r\n", 505, "unsupported"),
        ("GET /\(String(repeating: "a", count: 20_000)) HTTP/1.1\r\n", 414, "too-large"),
      ] {
        let client = try served.client()
        try await client.send(request)
        let answer = try await client.answer()
        #expect(answer.status == status, "\(request.prefix(40))")
        #expect(answer.problem == code, "\(request.prefix(40))")
        for (name, value) in Self.common { #expect(answer.fields[name] == value, "\(name)") }
      }
    }
  }

  @Test func `B6: the link opens the server once, and is in no answer`() async throws {
    try await Served.run { served in
      let link = try #require(served.server.invitation())
      #expect(link.hasPrefix("http://127.0.0.1:\(served.port)/?t="))
      let target = try #require(link.range(of: "/?t=").map { String(link[$0.lowerBound...]) })
      let secret = String(target.dropFirst(4))
      #expect(secret.utf8.count == 64)
      // Only to look does not use it up, and gives no cookie.
      let look = try await served.send("HEAD", target, [])
      #expect(look.fields["Set-Cookie"] == nil)
      // It opens one address, and is no token of the API.
      #expect(
        try await served.send("GET", "/api/1/sessions" + target.dropFirst(), []).status == 401)
      let first = try await served.send("GET", target, [("Accept", "text/html")])
      #expect(first.status == 200)
      #expect(!first.text.contains(secret))
      let cookie = try #require(first.fields["Set-Cookie"])
      let parts = cookie.split(separator: "; ").map(String.init)
      #expect(parts.first?.hasPrefix("keepsake-\(served.port)=") == true)
      #expect(Set(parts.dropFirst()) == ["Path=/", "HttpOnly", "SameSite=Strict"])
      #expect(!cookie.contains(secret))
      #expect(first.fields["Referrer-Policy"] == "no-referrer")
      #expect(first.fields["Cache-Control"] == "no-store")
      #expect(try await served.send("GET", target, []).status == 401)
      let given = String(parts[0])
      #expect(try await served.send("GET", "/api/1/sessions", [("Cookie", given)]).status == 200)
      // Among other cookies, and with another site's of the same name before it.
      let crowd = "a=b; keepsake-\(served.port)=x; \(given); c=d"
      #expect(try await served.send("GET", "/api/1/sessions", [("Cookie", crowd)]).status == 200)
    }
  }

  @Test func `B6: a link is used up also in a browser that was let in before`() async throws {
    try await Served.run { served in
      let cookie = try await Self.cookie(of: served)
      let link = try #require(served.server.invitation())
      let target = try #require(link.range(of: "/?t=").map { String(link[$0.lowerBound...]) })
      #expect(try await served.send("GET", target, [("Cookie", cookie)]).status == 200)
      #expect(try await served.send("GET", target, []).status == 401)
    }
  }

  @Test func `B6: of many who open a link at once, one gets in`() async throws {
    try await Served.run { served in
      let link = try #require(served.server.invitation())
      let target = try #require(link.range(of: "/?t=").map { String(link[$0.lowerBound...]) })
      var clients: [Client] = []
      for _ in 0..<16 { clients.append(try served.client()) }
      for client in clients {
        try await client.send(Asked(path: target, host: served.host).bytes())
      }
      var statuses: [Int] = []
      for client in clients { statuses.append(try await client.answer().status) }
      #expect(statuses.count { $0 == 200 } == 1)
      #expect(statuses.count { $0 == 401 } == 15)
    }
  }

  @Test func `B7: it listens on this machine alone`() async throws {
    #if os(Linux)
      try await Served.run { served in
        let own = "0100007F"
        let places = try ListeningPlaces.addresses(at: Int(served.port))
        #expect(places.contains(own))
        #expect(places.isSubset(of: [own, "00000000000000000000000001000000"]))
      }
    #endif
  }

  @Test func `B9, B10: pages can't be framed, nor reached from the window that opened them`()
    async throws
  {
    try await Served.run { served in
      let fruit = try await Fruit(in: served.store)
      let session = fruit.session.uuidString.lowercased()
      for path in ["/", "/s/\(session)", "/search?q=banana", "/nothing"] {
        let answer = try await served.send(
          "GET", path, [Served.authorization, ("Accept", "text/html")])
        let policy = try #require(answer.fields["Content-Security-Policy"])
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(policy.contains("default-src 'none'"))
        #expect(!policy.contains("unsafe-inline"))
        #expect(answer.fields["X-Frame-Options"] == "DENY")
        #expect(answer.fields["Cross-Origin-Opener-Policy"] == "same-origin")
      }
    }
  }

  @Test func `B11: methods that nothing takes are refused, without leave for other origins`()
    async throws
  {
    try await Served.run { served in
      for method in ["TRACE", "CONNECT", "PROPFIND", "BREW", "OPTIONS", "PATCH", "get"] {
        let answer = try await served.send(method, "/api/1/sessions")
        #expect([400, 405, 501].contains(answer.status), "\(method) \(answer.status)")
        #expect(!answer.head.lowercased().contains("access-control"))
      }
      let answer = try await served.send("PATCH", "/api/1/sessions", json: "{}")
      #expect(answer.status == 405)
      #expect(answer.problem == "method-not-allowed")
      #expect(answer.fields["Allow"] == "GET, HEAD, POST")
    }
  }

  @Test func `B14: errors say nothing of paths, SQL or what was sent`() async throws {
    try await Served.run { served in
      let mark = "canary%3Cscript%3E"
      let place = served.folder.url.path
      let paths = [
        "/\(mark)", "/api/1/\(mark)", "/api/1/sessions/\(mark)", "/api/1/artifacts/\(mark)",
        "/api/1/sessions?\(mark)=1", "/api/1/sessions?limit=\(mark)",
        "/api/1/sessions?after=\(mark)",
        "/api/1/search?q=a&session=\(mark)", "/s/\(mark)", "/artifacts/\(mark)",
        "/api/1/search?q=%22",
      ]
      for path in paths {
        for accept in ["text/html", "application/json"] {
          let answer = try await served.send(
            "GET", path, [Served.authorization, ("Accept", accept)])
          #expect((400..<500).contains(answer.status), "\(path) \(answer.status)")
          let text = answer.text.lowercased()
          #expect(!text.contains("<script>"), "\(path)")
          #expect(!answer.text.contains(place))
          for word in ["sqlite", ".swift", "fatal", " where "] {
            #expect(!text.contains(word), "\(path): \(word)")
          }
        }
      }
    }
  }

  /// The cookie that the printed link gives.
  static func cookie(of served: Served) async throws -> String {
    let link = try #require(served.server.invitation())
    let target = try #require(link.range(of: "/?t=").map { String(link[$0.lowerBound...]) })
    let answer = try await served.send("GET", target, [])
    let cookie = try #require(answer.fields["Set-Cookie"])
    return String(cookie.prefix { $0 != ";" })
  }
}
