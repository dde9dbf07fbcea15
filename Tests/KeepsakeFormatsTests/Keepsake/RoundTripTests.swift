import KeepsakeFiles
import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("Keepsake's own formats, there and back")
struct RoundTripTests {
  static let codecs: [any CollectionCodec.Type] = [TranscriptCodec.self, BundleCodec.self]

  /// A store with everything in it, and an empty one.
  static func withStores(
    _ body: (_ full: Store, _ empty: Store, _ folder: URL) async throws -> Void
  ) async throws {
    try await withStore { full, folder in
      try await full.fillWithEverything(folder)
      // The store has no idle work: it would remove entries that forks do not show while a test compares exports.
      var options = Store.Options()
      options.searchDelay = nil
      let empty = try await Store(at: folder.appending(path: "Copy.keepsake"), options: options)
      do { try await body(full, empty, folder) } catch {
        await empty.close()
        throw error
      }
      await empty.close()
    }
  }

  @Test(arguments: ["json", "bundle"])
  func `an empty store that imports everything is the same store`(format: String) async throws {
    let codec = try #require(Self.codecs.first { $0.format.name == format })
    try await Self.withStores { full, empty, folder in
      let bytes = try await codec.bytes(of: try await full.allSessions())
      let report = try await empty.importing(bytes, in: folder)
      #expect(report.sessions.allSatisfy { $0.new })
      #expect(report.sessions.allSatisfy { $0.format == format })

      let (old, new) = (
        try await full.verify(.init(readData: true)), try await empty.verify(.init(readData: true))
      )
      #expect(old.isSound)
      #expect(new.findings.filter { $0.severity != .harmless } == [])
      #expect(new.heads == old.heads)
      #expect(new.counts == old.counts)
      #expect(try SecondVerifier.faults(in: empty.url) == "")
      #expect(try await codec.bytes(of: try await empty.allSessions()) == bytes)
      try await Self.expectSame(full, empty)

      // The same again adds nothing.
      let again = try await empty.importing(bytes, in: folder)
      #expect(again.sessions.map(\.id) == report.sessions.map(\.id))
      #expect(again.sessions.allSatisfy { !$0.new && $0.added == 0 })
      #expect(again.artifacts.new == 0)
      #expect(try await empty.verify().heads == old.heads)
    }
  }

  /// What people and programs see of two stores is the same.
  static func expectSame(_ old: Store, _ new: Store) async throws {
    let (before, after) = (
      try await old.sessions(limit: 1000).sessions, try await new.sessions(limit: 1000).sessions
    )
    #expect(Set(after.map(\.id)) == Set(before.map(\.id)))
    for summary in before {
      let copy = try #require(after.first { $0.id == summary.id })
      #expect(copy.title == summary.title)
      #expect(copy.entries == summary.entries)
      #expect(copy.attachments == summary.attachments)
      #expect(copy.bytes == summary.bytes)
      #expect(copy.updated == summary.updated)
      #expect(copy.tags == summary.tags)
      #expect(copy.model == summary.model)
      #expect(copy.forkOf == summary.forkOf)
      let (one, other) = (try await old.session(summary.id), try await new.session(summary.id))
      #expect(try await other.metadata() == one.metadata())
      #expect(try await other.turns() == one.turns())
      let (entries, copies) = (try await one.entries.all(), try await other.entries.all())
      #expect(copies.map(\.text) == entries.map(\.text))
      #expect(copies.map(\.tags) == entries.map(\.tags))
      #expect(
        copies.map { $0.attachments.map(\.label) } == entries.map { $0.attachments.map(\.label) })
      if let format = summary.origin, Format(named: format) != nil {
        #expect(
          try await other.exported(as: format).bytes == one.exported(as: format).bytes,
          "\(format)")
      }
    }
    var cursor: Artifact.Cursor?
    repeat {
      let page = try await old.artifacts(after: cursor)
      cursor = page.next
      for artifact in page.artifacts {
        #expect(try await audited(artifact.id, in: new) == audited(artifact.id, in: old))
      }
    } while cursor != nil
    for word in ["banana", "revised", "gone", "yellow", "secret", "lots", "first"] {
      #expect(try await found(word, in: new) == found(word, in: old), "\(word)")
    }
  }

  private static func audited(_ id: Artifact.ID, in store: Store) async throws -> [String] {
    try await store.audit(id).attachments.map {
      "\($0.session) \($0.label) \($0.position ?? -1) \($0.tool ?? "") \($0.basis) \($0.basisReason) "
        + "\($0.call?.arguments ?? "") \($0.prompt?.text ?? "") \($0.link)"
    }
  }

  private static func found(_ word: String, in store: Store) async throws -> Set<String> {
    Set(try await store.search(word, limit: 100).hits.map { "\($0.session) \($0.position)" })
  }

  @Test(arguments: ["json", "bundle"])
  func `what is left out is taken from the store that has it, or counted`(format: String)
    async throws
  {
    let codec = try #require(Self.codecs.first { $0.format.name == format })
    try await Self.withStores { full, empty, folder in
      let sessions = try await full.allSessions()
      let bare = try await codec.bytes(of: sessions, ExportOptions.Artifacts.none)
      let count = try await full.verify().counts.artifacts
      let error = await #expect(throws: FormatError.self) {
        try await empty.importing(bare, in: folder)
      }
      #expect(error?.message.contains("the bytes of \(count) of its \(count) artifacts") == true)
      #expect(try await empty.verify().counts.sessions == 0)

      // A session with the same artifacts makes it possible.
      let other = try await empty.createSession()
      for id in try await full.everyArtifact() {
        try await other.attach(.init(.data(try await full.artifact(id).data()), madeBy: .user))
      }
      let report = try await empty.importing(bare, in: folder)
      #expect(report.artifacts.new == 0)
      #expect(report.artifacts.known == count)
      try await empty.deleteSession(other.id)
      #expect(try await empty.verify(.init(readData: true)).isSound)
      #expect(try await codec.bytes(of: empty.allSessions(), ExportOptions.Artifacts.none) == bare)
    }
  }

  @Test func `artifacts may lie in a folder beside the document`() async throws {
    try await Self.withStores { full, empty, folder in
      let beside = folder.appending(path: "my 100% chat.files")
      try FileManager.default.createDirectory(at: beside, withIntermediateDirectories: true)
      let bytes = try await TranscriptCodec.bytes(of: full.allSessions(), .files) {
        artifact, name in
        let data = try await artifact.data()
        try data.write(to: beside.appending(path: name))
        return "my%20100%25%20chat.files/\(name)"
      }
      let file = folder.appending(path: "chat.json")
      try Data(bytes).write(to: file)
      _ = try await empty.importFile(at: file)
      #expect(try await empty.verify(.init(readData: true)).heads == full.verify().heads)
      let (copied, original) = (
        try await TranscriptCodec.bytes(of: empty.allSessions()),
        try await TranscriptCodec.bytes(of: full.allSessions())
      )
      #expect(copied == original)
    }
  }

  @Test(arguments: ["json", "bundle"])
  func `a fork brings what it shares, and nothing is said of that`(format: String) async throws {
    let codec = try #require(Self.codecs.first { $0.format.name == format })
    try await Self.withStores { full, empty, folder in
      let inner = try #require(
        try await full.sessions(limit: 1000).sessions.first { $0.title == "Inner" })
      let session = try await full.session(inner.id)
      let output = Locked<[UInt8]>([])
      let losses = try await codec.write(
        [session], as: format, .init(artifacts: .inline),
        into: ExportOutput { piece in output.withLock { $0 += piece } })
      #expect(losses[.parents] == 2)
      let bytes = output.withLock { $0 }
      let report = try await empty.importing(bytes, in: folder)
      #expect(report.sessions.map(\.id) == [inner.id])
      #expect(try await empty.sessions().sessions.map(\.id) == [inner.id])
      let copy = try await empty.session(inner.id)
      #expect(try await copy.entries.all().map(\.text) == session.entries.all().map(\.text))
      #expect(try await codec.bytes(of: [copy]) == bytes)
      #expect(try await empty.verify(.init(readData: true)).isSound)
      #expect(try SecondVerifier.faults(in: empty.url) == "")
      // What the fork does not show goes with a sweep, and the fork stays whole.
      try await empty.sweep(olderThan: .zero)
      #expect(try await empty.verify(.init(readData: true)).isSound)
      #expect(try await copy.entries.all().map(\.text) == session.entries.all().map(\.text))
    }
  }

  @Test(arguments: ["json", "bundle"])
  func `a session that went on since is left as it is; one that went another way is refused`(
    format: String
  ) async throws {
    let codec = try #require(Self.codecs.first { $0.format.name == format })
    try await withStore { store, folder in
      let session = try await store.createSession(title: "One")
      try await session.append(.prompt("one"))
      let old = try await codec.bytes(of: [session])
      try await session.append(.response("two"))
      let report = try await store.importing(old, in: folder)
      #expect(report.sessions.map(\.new) == [false])
      #expect(try await session.count() == 2)

      let longer = try await codec.bytes(of: [session])
      let other = try await Store(at: folder.appending(path: "Other.keepsake"))
      _ = try await other.importing(old, in: folder)
      let shorter = await #expect(throws: KeepsakeError.self) {
        try await other.importing(longer, in: folder)
      }
      #expect(shorter?.code == .conflict)
      try await other.session(session.id).append(.response("another way"))
      let parted = await #expect(throws: KeepsakeError.self) {
        try await other.importing(longer, in: folder)
      }
      #expect(parted?.code == .conflict)
      #expect(
        try await other.session(session.id).entries.all().map(\.text) == ["one", "another way"])
      await other.close()
    }
  }

  @Test(arguments: ["json", "bundle"])
  func `a restored session goes on like any other`(format: String) async throws {
    let codec = try #require(Self.codecs.first { $0.format.name == format })
    try await Self.withStores { full, empty, folder in
      let bytes = try await codec.bytes(of: full.allSessions())
      _ = try await empty.importing(bytes, in: folder)
      for session in try await empty.allSessions() {
        let call = Entry.ToolCall(id: "call-9", tool: "Draw")
        try await session.append(.prompt("More"))
        try await session.append(.toolCalls([call]))
        let more = try await session.attach(
          .init(.data(Data("more".utf8)), mediaType: "image/png", madeBy: .toolCall(call)))
        #expect(more.label.hasPrefix("image_"))
        try await session.append(.toolOutput(for: call, text: more.label))
        try await session.fork(before: 1).append(.response("A fork of a copy"))
      }
      #expect(try await empty.verify(.init(readData: true)).isSound)
      #expect(try SecondVerifier.faults(in: empty.url) == "")
    }
  }

  @Test func `somebody may have put a document's JSON on many lines`() async throws {
    try await withStore { full, folder in
      let session = try await full.createSession(title: "One", tags: ["x"])
      try await session.append(.prompt("a \"quoted\" text"))
      try await session.append(.response("answer"))
      try await session.revise(1, to: .response("another answer"))
      var attachment = Entry.NewAttachment(.data(Data("x".utf8)), caption: "one", madeBy: .user)
      attachment.inputs = [.entry(0)]
      try await session.attach(attachment, to: 1)
      let bytes = try await TranscriptCodec.bytes(of: [session])
      let pretty = Self.pretty(bytes)
      #expect(pretty != bytes)
      let empty = try await Store(at: folder.appending(path: "Copy.keepsake"))
      _ = try await empty.importing(pretty, in: folder)
      #expect(try await TranscriptCodec.bytes(of: empty.allSessions()) == bytes)
      #expect(try await empty.verify().heads == full.verify().heads)
      await empty.close()
    }
  }

  /// The same JSON with white space wherever it may be.
  private static func pretty(_ json: [UInt8]) -> [UInt8] {
    var pretty: [UInt8] = []
    var isInString = false
    var isEscaped = false
    for byte in json {
      pretty.append(byte)
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      } else if Array(",:[{".utf8).contains(byte) {
        pretty += "\n  ".utf8
      }
    }
    return pretty
  }
}

extension Store {
  /// All artifacts, texts of entries too.
  fileprivate func everyArtifact() async throws -> [Artifact.ID] {
    let bytes = try await TranscriptCodec.bytes(of: allSessions(), ExportOptions.Artifacts.none)
    return try TranscriptIndex(ForeignFile(bytes, name: "all")).manifest.artifacts.keys.sorted()
  }
}
