import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

/// Whether a transcript continues one that was imported, as frameworks and hostile people write them.
@Suite("Transcripts that continue one another, or do not")
struct ContinuingFilesTests {
  /// A transcript of Apple's framework: prompts and responses by turns, with counted ids.
  private static func apple(_ texts: String...) -> [UInt8] {
    let entries = texts.enumerated().map { index, text in
      let content = #"{"type":"text","id":"0","text":"\#(text)"}"#
      return index % 2 == 0
        ? #"{"id":"\#(index + 1)","role":"user","contents":[\#(content)],"options":{}}"#
        : #"{"id":"\#(index + 1)","role":"response","contents":[\#(content)],"assets":["a"]}"#
    }
    return Array(
      #"{"type":"FoundationModels.Transcript","version":1,"transcript":{"entries":[\#(entries.joined(separator: ","))]}}"#
        .utf8)
  }

  private func texts(_ session: Session) async throws -> [String] {
    try await session.entries.all().map(\.text)
  }

  @Test func `38: two conversations with the same ids stay two, and both are found`() async throws {
    let mine = Self.apple("How do I bake rye bread?", "With a sourdough.")
    let hostile = Self.apple("Which bank is best?", "The evil one.", "Thanks.")
    try await withStore { store, folder in
      let first = try await store.importing(mine, in: folder)
      let session = try await store.session(#require(first.sessions.first).id)
      try await session.rename("Bread")
      let second = try await store.importing(hostile, in: folder)
      #expect(second.sessions.map(\.new) == [true])
      #expect(second.sessions.map(\.revised) == [0])
      #expect(try await texts(session) == ["How do I bake rye bread?", "With a sourdough."])
      #expect(try await session.summary().title == "Bread")
      #expect(try await store.search("sourdough").hits.map(\.session) == [session.id])
      #expect(try await store.search("evil").hits.map(\.session) == second.sessions.map(\.id))
      let again = try await store.importing(mine, in: folder)
      #expect(again.sessions.map(\.id) == [session.id])
      #expect(again.sessions.map(\.added) == [0])
      #expect(try await session.exported(as: "apple").bytes == mine)
      #expect(try await store.verify(.init(readData: true)).isSound)
    }
  }

  /// Encoders put members in any order, and the framework writes assets and an output's id anew.
  @Test func `a transcript that was encoded anew and grew continues its session`() async throws {
    let output = #"{"id":"OLD","role":"tool","toolCallID":"c","toolName":"Draw","contents":[]}"#
    let calls =
      #"{"id":"3","role":"response","toolCalls":[{"id":"c","name":"Draw","arguments":"{\"a\": 1}"}]}"#
    func transcript(_ more: String...) -> String {
      let base = String(decoding: Self.apple("Draw.", "I will."), as: UTF8.self)
      return base.replacing("]}}", with: "," + ([calls] + more).joined(separator: ",") + "]}}")
    }
    let first = transcript(output)
    let grown = transcript(output, #"{"id":"5","role":"user","contents":[],"options":{}}"#)
      .replacing(#""OLD""#, with: #""NEW""#).replacing(#"["a"]"#, with: #"["b","c"]"#)
    let value = try JSONSerialization.jsonObject(with: Data(grown.utf8))
    let styles: [JSONSerialization.WritingOptions] = [
      [.prettyPrinted], [.sortedKeys], [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes],
    ]
    for style in styles {
      try await withStore { store, folder in
        let report = try await store.importing(Array(first.utf8), in: folder)
        let bytes = [UInt8](try JSONSerialization.data(withJSONObject: value, options: style))
        let next = try await store.importing(bytes, in: folder)
        #expect(next.sessions.map(\.id) == report.sessions.map(\.id))
        #expect(next.sessions.map(\.added) == [1])
        #expect(next.sessions.map(\.revised) == [0])
        let session = try await store.session(#require(next.sessions.first).id)
        #expect(try await session.exported(as: "apple").bytes == bytes)
        // The same records in another spelling are known.
        let plain = try await store.importing(Array(grown.utf8), in: folder)
        #expect(plain.sessions.map(\.id) == [session.id])
        #expect(plain.sessions.map(\.added) == [0])
        #expect(try await store.verify(.init(readData: true)).isSound)
      }
    }
  }

  @Test func `38: an answer that was made anew is a session of its own, or a revision when asked`()
    async throws
  {
    try await withStore { store, folder in
      let first = try await store.importing(Self.apple("Bread?", "Rye."), in: folder)
      let session = try await store.session(#require(first.sessions.first).id)
      let anew = Self.apple("Bread?", "Wheat.", "Thanks.")
      let other = try await store.importing(anew, in: folder)
      #expect(other.sessions.map(\.new) == [true])
      #expect(other.sessions.map(\.parting) == [.init(session: session.id, position: 1)])
      let file = folder.appending(path: "anew.json")
      try Data(anew).write(to: file)
      let into = try await store.importFile(at: file, into: session)
      #expect(into.sessions.map(\.id) == [session.id])
      #expect(into.sessions.map(\.revised) == [1])
      #expect(into.sessions.map(\.added) == [1])
      #expect(into.sessions.map(\.parting) == [nil])
      #expect(try await texts(session) == ["Bread?", "Wheat.", "Thanks."])
      #expect(try await session.revisions(of: 1).map(\.entry.text) == ["Rye."])
      #expect(try await session.exported(as: "apple").bytes == anew)
      #expect(try await store.verify(.init(readData: true)).isSound)
    }
  }

  @Test func `38: AnyLanguageModel's ids join no two conversations either`() async throws {
    func transcript(_ text: String, assets: String, more: Bool = false) -> [UInt8] {
      let segments = #"[{"text":{"_0":{"id":"s","content":"\#(text)"}}}]"#
      var entries = [
        #"{"prompt":{"_0":{"id":"1","segments":\#(segments),"options":{}}}}"#,
        #"{"response":{"_0":{"id":"2","assetIDs":\#(assets),"segments":\#(segments)}}}"#,
      ]
      if more { entries.append(#"{"prompt":{"_0":{"id":"3","segments":[],"options":{}}}}"#) }
      return Array(#"{"entries":[\#(entries.joined(separator: ", "))]}"#.utf8)
    }
    try await withStore { store, folder in
      let first = try await store.importing(transcript("rye", assets: "[]"), in: folder)
      let other = try await store.importing(transcript("evil", assets: "[]"), in: folder)
      #expect(other.sessions.map(\.new) == [true])
      let grown = try await store.importing(
        transcript("rye", assets: #"["x"]"#, more: true), in: folder)
      #expect(grown.sessions.map(\.id) == first.sessions.map(\.id))
      #expect(grown.sessions.map(\.added) == [1])
    }
  }

  @Test(arguments: ["json", "bundle"])
  func `a transcript that was taken elsewhere in a copy, and grew, continues it there`(
    format: String
  ) async throws {
    try await withStore { store, folder in
      let report = try await store.importing(Self.apple("Bread?", "Rye."), in: folder)
      let copy = folder.appending(path: "copy")
      try await store.session(#require(report.sessions.first).id).export(as: format, to: copy)
      let other = try await Store(at: folder.appending(path: "Other.keepsake"))
      let restored = try await other.importFile(at: copy)
      #expect(restored.sessions.map(\.new) == [true])
      let grown = Self.apple("Bread?", "Rye.", "Thanks.")
      let next = try await other.importing(grown, in: folder)
      #expect(next.sessions.map(\.id) == restored.sessions.map(\.id))
      #expect(next.sessions.map(\.added) == [1])
      #expect(try await other.verify(.init(readData: true)).isSound)
      await other.close()
    }
  }

  /// A copy can claim what it likes of bytes that are not in it.
  @Test(arguments: ["json", "bundle"])
  func `38: a copy does not vouch for a file that it does not have whole`(format: String)
    async throws
  {
    try await withStore { store, folder in
      let mine = Self.apple("Bread?", "Rye.")
      let report = try await store.importing(mine, in: folder)
      let session = try await store.session(#require(report.sessions.first).id)
      try await session.erase(1)
      let copy = folder.appending(path: "copy")
      try await session.export(as: format, to: copy)
      let other = try await Store(at: folder.appending(path: "Other.keepsake"))
      #expect(try await other.importFile(at: copy).sessions.map(\.new) == [true])
      let taken = try await other.importing(mine, in: folder)
      #expect(taken.sessions.map(\.new) == [true])
      let own = try await other.session(#require(taken.sessions.first).id)
      #expect(try await texts(own) == ["Bread?", "Rye."])
      // In the store where it was erased, it is known, and stays erased.
      #expect(try await store.importing(mine, in: folder).sessions.map(\.new) == [false])
      await other.close()
    }
  }

  /// The other way in by an id: a copy says which sessions it has, and whoever knows an id can make one.
  @Test func `38: a copy with a session's id and another history is refused, and changes nothing`()
    async throws
  {
    try await withStore { store, folder in
      let id = UUID()
      let session = try await store.createSession(title: "Mine", id: id)
      try await session.append(.prompt("Bread?"))
      let heads = try await store.verify().heads
      let other = try await Store(at: folder.appending(path: "Other.keepsake"))
      let hostile = try await other.createSession(title: "Yours", id: id)
      try await hostile.append(.prompt("Money?"))
      try await hostile.append(.response("Give."))
      for format in ["json", "bundle"] {
        let copy = folder.appending(path: "copy.\(format)")
        try await hostile.export(as: format, to: copy)
        let error = try await #require(throws: KeepsakeError.self) {
          try await store.importFile(at: copy)
        }
        #expect(error.code == .conflict)
        let refused = try await #require(throws: FormatError.self) {
          try await store.importFile(at: copy, into: session)
        }
        #expect(refused.code == .unsupported)
      }
      #expect(try await store.verify().heads == heads)
      #expect(try await session.summary().title == "Mine")
      await other.close()
    }
  }
}
