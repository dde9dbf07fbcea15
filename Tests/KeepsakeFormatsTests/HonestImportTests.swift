import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("What an import says of times and makers")
struct HonestImportTests {
  private func imported(_ store: Store, in folder: URL) async throws -> Session {
    let report = try await store.importing(Fixtures.bytes("apple/os27.json"), in: folder)
    return try await store.session(#require(report.sessions.first).id)
  }

  @Test func `10: what a transcript says of its images is recorded, and no app said it`()
    async throws
  {
    try await withStore { store, folder in
      let session = try await imported(store, in: folder)
      var sentences: Set<String> = []
      for attachment in try await session.entries.all().flatMap(\.attachments) {
        guard let artifact = attachment.artifact else { continue }
        let known = attachment.maker != .source
        #expect(attachment.basis == (known ? .recorded : .unknown), "\(attachment.label)")
        for place in try await store.audit(artifact.id).attachments {
          sentences.insert(place.basisReason)
        }
      }
      #expect(sentences.contains("The transcript that it came in says that this call made it."))
      #expect(!sentences.contains { $0.contains("app") })
      #expect(try await store.verify().isSound)
    }
  }

  @Test func `11: entries of a transcript without times have none, here and in a copy`()
    async throws
  {
    try await withStore { store, folder in
      let before = Date(microseconds: Date().microseconds)
      let session = try await imported(store, in: folder)
      let entries = try await session.entries.all()
      #expect(!entries.isEmpty)
      #expect(entries.allSatisfy { $0.created == nil })
      #expect(entries[0].json["created"] == .null)
      #expect(try Entry(json: entries[0].json).created == nil)
      let summary = try await session.summary()
      #expect(summary.created >= before)
      #expect(summary.updated >= summary.created)
      for format in ["json", "bundle"] {
        let (bytes, _) = try await session.exported(as: format)
        try await withStore { other, place in
          _ = try await other.importing(bytes, in: place)
          let copy = try await other.session(session.id)
          #expect(try await copy.entries.all().allSatisfy { $0.created == nil })
          #expect(try await other.verify().isSound)
        }
      }
      for format in ["markdown", "html"] {
        let text = String(decoding: try await session.exported(as: format).bytes, as: UTF8.self)
        #expect(text.contains("time unknown"))
        #expect(text.contains("Taken in"))
        #expect(!text.contains("Begun"))
      }
    }
  }

  @Test func `11: an unknown time is neither before nor after any, and comes last`() async throws {
    try await withStore { store, folder in
      let session = try await imported(store, in: folder)
      let word = try #require(
        try await session.entries.all().compactMap { entry in
          entry.kind == .prompt ? entry.text.split(separator: " ").first.map(String.init) : nil
        }.first)
      let known = try await store.createSession()
      try await known.append(
        Entry(.prompt, segments: [Entry.Segment(.text(word))], created: Date(microseconds: 5)))
      let all = try await store.search(word).hits
      #expect(all.first?.created == Date(microseconds: 5))
      #expect(all.contains { $0.created == nil })
      let year = Date(timeIntervalSince1970: 366 * 86_400)
      let early = try await store.search(word, in: .init(until: year)).hits
      #expect(early.map(\.session) == [known.id])
      let late = try await store.search(word, in: .init(since: year)).hits
      #expect(late.isEmpty)
    }
  }
}
