import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

/// An app on Apple's framework hands its whole transcript over after each turn.
@Suite("A long transcript that is saved again", .serialized)
struct SavingAgainTests {
  private func transcript(_ count: Int) -> [Entry] {
    (0..<count).map { index in
      var entry: Entry =
        index == 0
        ? .instructions("Be brief.")
        : index % 2 == 1 ? .prompt("Question \(index)?") : .response("Answer \(index).")
      entry.segments[0].id = "\(index)"
      entry.key = entry.id.uuidString
      return entry
    }
  }

  @Test func `writes what is new, and costs about what reading it does`() async throws {
    let store = try await Store.temporary()
    let small = try await store.createSession()
    let session = try await store.createSession()
    let entries = transcript(2_006)
    let clock = ContinuousClock()
    var saving: [Duration] = []
    var parsing: [Duration] = []
    var appending: [Duration] = []
    for count in 2_000...2_005 {
      let file = try await AppleCodec.encode(entries[..<count].map { OutgoingEntry($0) }, as: .os27)
        .json
      var list: [Entry] = []
      parsing.append(try clock.measure { list = try AppleCodec.decode(file).map(\.entry) })
      let before = try changes(of: session)
      var result: Session.SaveResult?
      saving.append(try await clock.measure { result = try await session.save(list) })
      appending.append(
        try await clock.measure { try await small.append(.prompt("one more \(count)")) })
      if count == 2_000 {
        saving = []
        continue
      }
      #expect(result?.appended == (count - 1)..<count)
      #expect(result?.revised == [])
      #expect(try changes(of: session) == before + 1)
    }
    // A busy machine may take the processor from any: the shortest attempt is what each costs.
    let least = try (
      saving: #require(saving.min()), parsing: #require(parsing.min()),
      appending: #require(appending.min())
    )
    #expect(least.saving < (least.appending * 10 + least.parsing) * 4, "\(least)")
    try await store.removeTemporary()
  }

  /// How many changes were written, in rows and in the chain.
  private func changes(of session: Session) throws -> Int {
    try session.handle.read { db in try SessionRow(session, in: db).chain.count }
  }
}
