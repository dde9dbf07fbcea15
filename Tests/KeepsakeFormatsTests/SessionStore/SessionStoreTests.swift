import Foundation
import Keepsake
import KeepsakeTestSupport
import Testing

@testable import KeepsakeFormats

/// What the Claude Agent SDK asks of a store of sessions. The SDK's own suite runs in tools/conformance.
@Suite("A session store of the Claude Agent SDK")
struct SessionStoreTests {
  /// A program that has a store open, as `keepsake session-store` has.
  private struct Peer {
    var service: SessionStoreService

    init(_ store: Store, erases: Bool = false) {
      service = SessionStoreService(store, erases: erases)
    }

    mutating func ask(_ request: String) async throws -> JSON {
      let answer = try await service.answer(to: Array(request.utf8))
      return try JSON(validating: String(decoding: answer, as: UTF8.self))
    }

    @discardableResult
    mutating func append(
      _ entries: [String], to session: String = "s-1", in project: String = "p",
      part: String? = nil, _ others: String = ""
    ) async throws -> JSON {
      let answer = try await ask(
        #"{"id":1,"method":"append",\#(Self.key(session, project, part)),"entries":[\#(entries.joined(separator: ","))]\#(others)}"#
      )
      return answer["result"] ?? answer
    }

    /// The entries of a transcript; nil where it is not known.
    mutating func load(_ session: String = "s-1", in project: String = "p", part: String? = nil)
      async throws -> [JSON]?
    {
      try await ask(#"{"id":2,"method":"load",\#(Self.key(session, project, part))}"#)["result"]?
        .arrayValue
    }

    mutating func delete(_ session: String = "s-1", part: String? = nil) async throws {
      let answer = try await ask(#"{"id":3,"method":"delete",\#(Self.key(session, "p", part))}"#)
      #expect(answer["error"] == nil)
    }

    private static func key(_ session: String, _ project: String, _ part: String?) -> String {
      let part = part.map { #","subpath":"\#($0)""# } ?? ""
      return #""key":{"project_key":"\#(project)","session_id":"\#(session)"\#(part)}"#
    }
  }

  private static let talk = ClaudeCodeReadingTests.talk

  private static func values(_ lines: some Sequence<String>) throws -> [JSON] {
    try lines.map { try JSON(validating: $0) }
  }

  private static func withStore(_ body: (Store, URL) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let store = try await Store(at: folder.appending(path: "Agents.keepsake"))
      try await body(store, folder)
      let report = try await store.verify()
      #expect(report.isSound, "\(report.findings)")
      await store.close()
    }
  }

  private static func sessions(_ store: Store) async throws -> [Session.Summary] {
    try await store.sessions().sessions
  }

  private static func write(_ lines: some Sequence<String>, to folder: URL, as name: String = "s-1")
    throws -> URL
  {
    let file = folder.appending(path: "\(name).jsonl")
    try Data(lines.map { "\($0)\n" }.joined().utf8).write(to: file)
    return file
  }

  @Test func `gives back what was appended, and has become a session that a file would be`()
    async throws
  {
    try await Self.withStore { store, folder in
      var peer = Peer(store)
      for line in Self.talk { try await peer.append([line]) }
      #expect(try await peer.load() == Self.values(Self.talk))
      let session = try await store.session(#require(try await Self.sessions(store).first).id)

      let other = try await Store(at: folder.appending(path: "File.keepsake"))
      let report = try await other.importFile(at: Self.write(Self.talk, to: folder))
      let fromFile = try await other.session(report.sessions[0].id)
      let told = try await session.entries.all().map(\.text)
      #expect(try await fromFile.entries.all().map(\.text) == told)
      #expect(!told.isEmpty)
      // Each append before the first prompt is an import of its own; after it the source grows.
      let images = try await session.entries.all().flatMap(\.attachments).compactMap(\.artifact?.id)
      #expect(Set(images).count == 1)
      let (bytes, losses) = try await session.exported(as: "claude-code")
      #expect(bytes == Array(Self.talk.map { "\($0)\n" }.joined().utf8))
      #expect(losses.isEmpty)
      await other.close()
    }
  }

  @Test func `takes an entry with an id once, whoever hands it over, and one without each time`()
    async throws
  {
    try await Self.withStore { store, _ in
      var one = Peer(store)
      var other = Peer(store)
      let a = #"{"type":"x","uuid":"a"}"#
      let b = #"{"type":"x","uuid":"b"}"#
      let title = #"{"type":"custom-title","customTitle":"Fruit"}"#
      #expect(try await one.append([a, a, title])["added"] == 2)
      #expect(try await other.append([b, a, title])["added"] == 2)
      #expect(try await one.append([b])["added"] == 0)
      #expect(try await one.append([title])["added"] == 1)
      let loaded = try await other.load()
      #expect(try loaded == Self.values([a, title, b, title, title]))
      // Ids are known by transcript: a fork has those of the session that it was made from.
      #expect(try await one.append([a], to: "s-2")["added"] == 1)
    }
  }

  @Test func `adds all entries of a request or none`() async throws {
    try await Self.withStore { store, _ in
      var peer = Peer(store)
      try await peer.append([Self.talk[1]])
      let answer = try await peer.append([Self.talk[2], "7"])
      #expect(answer["error"]?["code"] == "invalid")
      #expect(try await peer.load() == Self.values([Self.talk[1]]))
      #expect(try await peer.append([Self.talk[2]])["added"] == 1)
      for request in [
        "", "7", "{}", #"{"method":"x"}"#, #"{"method":"append","entries":[]}"#,
        #"{"method":"append","key":{"project_key":"p","session_id":"s"}}"#,
        #"{"method":"load","key":{"project_key":"p","session_id":"s","subpath":""}}"#,
        #"{"method":"load","key":{"project_key":"p","session_id":""}}"#,
        #"{"method":"list_sessions"}"#,
      ] {
        #expect(try await peer.ask(request)["error"]?["code"] == "invalid", "\(request)")
      }
    }
  }

  @Test func `says when entries never came that stand before others`() async throws {
    try await Self.withStore { store, _ in
      var peer = Peer(store)
      let first = #"{"type":"x","uuid":"a","parentUuid":null}"#
      let third = #"{"type":"x","uuid":"c","parentUuid":"b"}"#
      #expect(try await peer.append([first])["missing"] == nil)
      #expect(try await peer.append([third])["missing"] == "b")
      let events = try await store.log().lines.map(\.event)
      #expect(events.filter { $0 == .gap }.count == 1)
      // In one request the order does not matter.
      let late = [#"{"type":"x","uuid":"e","parentUuid":"d"}"#, #"{"type":"x","uuid":"d"}"#]
      #expect(try await peer.append(late)["missing"] == nil)
    }
  }

  @Test func `has a summary of all that there is, or none`() async throws {
    try await Self.withStore { store, _ in
      var peer = Peer(store)
      let entry = { (number: Int) in #"{"type":"x","n":\#(number)}"# }
      let first = try await peer.append([entry(1)], #","seen":0,"summary":{"n":1}"#)
      #expect(first["appends"] == 1)
      try await peer.append([entry(2)], #","seen":1,"summary":{"n":2}"#)
      let refused = try await peer.append([entry(3)], #","seen":1,"summary":{"n":3}"#)
      #expect(refused["error"]?["code"] == "conflict")
      #expect(try await peer.load()?.count == 2)
      let summaries = try await peer.ask(#"{"method":"list_session_summaries","project_key":"p"}"#)
      #expect(summaries["result"]?[0]?["data"] == ["n": 2])
      let listed = try await peer.ask(#"{"method":"list_sessions","project_key":"p"}"#)
      #expect(listed["result"]?[0]?["mtime"] == summaries["result"]?[0]?["mtime"])
    }
  }

  @Test func `goes on with the session that a file became, and a file with its session`()
    async throws
  {
    try await Self.withStore { store, folder in
      // As the agent's own lines have it, which name their session.
      var peer = Peer(store)
      _ = try await store.importFile(at: Self.write(Self.talk.prefix(5), to: folder))
      try await peer.append(Array(Self.talk.prefix(3)))
      try await peer.append(Array(Self.talk.dropFirst(3)))
      #expect(try await Self.sessions(store).count == 1)
      #expect(try await peer.load() == Self.values(Self.talk))
      let report = try await store.importFile(at: Self.write(Self.talk, to: folder))
      #expect(report.sessions.map(\.added) == [0])
      let more = Self.talk + [ClaudeCodeReadingTests.user("u-99", #""And a cup?""#)]
      let grown = try await store.importFile(at: Self.write(more, to: folder))
      #expect(grown.sessions.map(\.added) == [1])
      #expect(try await peer.append([more[more.count - 1]])["added"] == 0)
      #expect(try await Self.sessions(store).count == 1)
    }
  }

  @Test func `loses nothing when a person adds to the session meanwhile`() async throws {
    try await Self.withStore { store, _ in
      var peer = Peer(store)
      try await peer.append(Array(Self.talk))
      let id = try #require(try await Self.sessions(store).first).id
      try await store.session(id).append(.prompt("A note of mine."))
      let later = ClaudeCodeReadingTests.user("u-99", #""And a cup?""#)
      try await peer.append([later])
      let last = ClaudeCodeReadingTests.user("u-100", #""Blue.""#)
      try await peer.append([last])
      #expect(try await peer.load() == Self.values(Self.talk + [later, last]))
      let texts = try await store.session(id).entries.all().map(\.text)
      #expect(texts.contains("A note of mine."))
    }
  }

  @Test func `forgets what the SDK deletes, and the store keeps it`() async throws {
    try await Self.withStore { store, _ in
      var peer = Peer(store)
      try await peer.append(Array(Self.talk))
      try await peer.append([#"{"type":"x","uuid":"a"}"#], part: "subagents/agent-1")
      try await peer.append([#"{"type":"x","uuid":"a"}"#], part: "subagents/agent-2")
      try await peer.delete(part: "subagents/agent-2")
      let parts = #"{"method":"list_subkeys","key":{"project_key":"p","session_id":"s-1"}}"#
      #expect(try await peer.ask(parts)["result"] == ["subagents/agent-1"])
      try await peer.delete()
      #expect(try await peer.load() == nil)
      #expect(try await peer.load(part: "subagents/agent-1") == nil)
      #expect(try await Self.sessions(store).count == 3)
      // Entries that are appended under a deleted key begin an empty transcript.
      try await peer.append([Self.talk[1]])
      #expect(try await peer.load() == Self.values([Self.talk[1]]))
      #expect(try await Self.sessions(store).count == 4)
      try await peer.append([Self.talk[2]])
      #expect(try await peer.load() == Self.values(Self.talk[1...2]))
      #expect(try await Self.sessions(store).count == 4)
    }
  }

  @Test func `erases what the SDK deletes where that is asked for`() async throws {
    try await Self.withStore { store, _ in
      var peer = Peer(store, erases: true)
      try await peer.append(Array(Self.talk))
      try await peer.append([#"{"type":"x","uuid":"a"}"#], to: "s-2")
      try await peer.delete()
      #expect(try await Self.sessions(store).map(\.entries) == [1])
    }
  }

  @Test func `keeps transcripts of one name apart that are of two projects`() async throws {
    try await Self.withStore { store, _ in
      var peer = Peer(store)
      try await peer.append(Array(Self.talk), in: "a")
      try await peer.append(Array(Self.talk), in: "b")
      let more = ClaudeCodeReadingTests.user("u-99", #""And a cup?""#)
      try await peer.append([more], in: "a")
      #expect(try await peer.load(in: "a") == Self.values(Self.talk + [more]))
      #expect(try await peer.load(in: "b") == Self.values(Self.talk))
    }
  }

  @Test func `begins anew when its session was deleted from the store`() async throws {
    try await Self.withStore { store, _ in
      var peer = Peer(store)
      try await peer.append(Array(Self.talk))
      let id = try #require(try await Self.sessions(store).first).id
      try await store.deleteSession(id)
      #expect(try await peer.load() == nil)
      let later = ClaudeCodeReadingTests.user("u-99", #""And a cup?""#)
      try await peer.append([later])
      #expect(try await peer.load() == Self.values([later]))
    }
  }

  @Test func `goes on when an entry was erased, which it does not give back`() async throws {
    try await Self.withStore { store, _ in
      var peer = Peer(store)
      try await peer.append(Array(Self.talk))
      let id = try #require(try await Self.sessions(store).first).id
      let entries = try await store.session(id).entries.all()
      let prompt = try #require(entries.firstIndex { $0.kind == .prompt })
      try await store.session(id).erase(prompt)
      #expect(try await peer.load()?.count == Self.talk.count - 1)
      let later = ClaudeCodeReadingTests.user("u-99", #""And a cup?""#)
      try await peer.append([later])
      let loaded = try #require(try await peer.load())
      #expect(loaded.count == Self.talk.count)
      #expect(try Self.values([later]).last == loaded.last)
    }
  }

  @Test func `holds under every order in which two programs append`() async throws {
    try await Self.withStore { store, _ in
      var peers = [Peer(store), Peer(store), Peer(store)]
      var generator = SeededGenerator(seed: UInt64.random(in: 0..<UInt64.max))
      let seed = generator
      var expected: [String] = []
      for number in 0..<60 {
        let peer = Int.random(in: 0..<3, using: &generator)
        let entry =
          Bool.random(using: &generator)
          ? ClaudeCodeReadingTests.user("u-\(number)", #""Question \#(number)""#)
          : #"{"type":"mode","n":\#(number)}"#
        try await peers[peer].append([entry])
        expected.append(entry)
        // A program that is started anew knows nothing.
        if Int.random(in: 0..<8, using: &generator) == 0 { peers[peer] = Peer(store) }
      }
      let loaded = try await peers[0].load()
      #expect(try loaded == Self.values(expected), "\(seed)")
      #expect(try await Self.sessions(store).count == 1, "\(seed)")
    }
  }
}
