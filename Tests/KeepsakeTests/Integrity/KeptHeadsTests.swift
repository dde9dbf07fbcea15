import Foundation
import Keepsake
import Testing

/// Stores that are sound in themselves and are not the ones they were: only heads that were kept tell.
@Suite("Heads that were kept")
struct KeptHeadsTests {
  private let folder: TestFolder
  private let id = UUID()
  private let created = Date(timeIntervalSince1970: 1_767_225_600)

  init() throws { folder = try TestFolder() }

  /// Makes a store of one session, or writes to the one that is there; gives its heads.
  private func write(_ texts: [String], to store: URL) async throws -> [VerifyReport.Head] {
    let store = try await Store(at: store, options: .init(now: { [created] in created }))
    let session =
      if try await store.sessions().sessions.isEmpty {
        try await store.createSession(title: "Deeds", id: id, created: created)
      } else { try await store.session(id) }
    try await session.append(texts.map { Entry.prompt($0) })
    let heads = try await store.verify().heads
    await store.close()
    return heads
  }

  /// What verifying finds in a store that both verifiers call sound where nothing was kept.
  private func findings(_ store: URL, _ kept: [VerifyReport.Head]) async throws -> [String] {
    #expect(try await TamperTests.verify(store, .init(readData: true)).findings == [])
    #expect(try OtherVerifier.run(store).status == 0)
    let findings = try await TamperTests.verify(store, .init(heads: kept)).findings
    #expect(findings.allSatisfy { $0.severity == .damaged })
    return findings.map(\.what)
  }

  @Test(arguments: [2, 3, 5])
  func `G11: a chain that was written anew as a whole is found, however long it is`(count: Int)
    async throws
  {
    let kept = try await write(["I owe you 100.", "Thank you.", "Bye."], to: folder.store)
    let forged = folder.url.appending(path: "Forged.keepsake")
    let texts = ["I owe you 1.", "Thank you.", "Bye.", "x", "y"]
    let heads = try await write(Array(texts.prefix(count)), to: forged)
    #expect(heads.map(\.session) == kept.map(\.session))
    #expect(heads != kept)
    let said = count < 3 ? "an older copy was put back, or its end was cut off." : "was rewritten."
    let found = try await findings(forged, kept)
    #expect(found.count == 1)
    #expect(found.first?.hasSuffix(said) == true, "\(found)")
    #expect(try await findings(folder.store, kept) == [])
  }

  @Test func `G11: the same words, said again at the same time, are another chain`() async throws {
    let texts = ["I owe you 100.", "Thank you."]
    let kept = try await write(texts, to: folder.store)
    let forged = folder.url.appending(path: "Forged.keepsake")
    _ = try await write(texts, to: forged)
    #expect(try await findings(forged, kept).count == 1)
  }

  @Test func `G11: an older copy of a store that was put back is told as one`() async throws {
    let early = try await write(["one", "two"], to: folder.store)
    let copy = folder.url.appending(path: "Older.keepsake")
    try FileManager.default.copyItem(at: folder.store, to: copy)
    let late = try await write(["three"], to: folder.store)

    #expect(try await findings(copy, early) == [])
    let said =
      "It has 2 changes; a kept head says that it had 3: "
      + "an older copy was put back, or its end was cut off."
    #expect(try await findings(copy, late) == [said])
    // An older head shows that what is there was not touched.
    #expect(
      try await findings(copy, early + late) == ["\(said) Up to change 2 it is as it was kept."])
    #expect(try await findings(folder.store, early + late) == [])
  }

  @Test func `G11: an older copy that was gone on with is told from the store as it was`()
    async throws
  {
    let early = try await write(["one", "two"], to: folder.store)
    let copy = folder.url.appending(path: "Older.keepsake")
    try FileManager.default.copyItem(at: folder.store, to: copy)
    let late = try await write(["three"], to: folder.store)
    _ = try await write(["another three", "four"], to: copy)
    #expect(
      try await findings(copy, late + early) == [
        "After change 3 its head is another one than the one that was kept: its past was rewritten. "
          + "Up to change 2 it is as it was kept."
      ])
  }

  @Test func `G11: a copy from before an erasure is found, and one from before a session`()
    async throws
  {
    _ = try await write(["a secret", "two"], to: folder.store)
    let copy = folder.url.appending(path: "Older.keepsake")
    try FileManager.default.copyItem(at: folder.store, to: copy)
    let store = try await Store(at: folder.store)
    try await store.session(id).erase(0)
    let other = try await store.createSession()
    try await other.append(.prompt("one"))
    let kept = try await store.verify().heads
    await store.close()
    let found = try await findings(copy, kept)
    #expect(found.count == 2)
    #expect(found.contains { $0.contains("a kept head says that it had 3: an older copy") })
    #expect(
      found.contains(
        "It is not in the store; a kept head says that it had 1 changes: it was deleted, "
          + "or an older copy of the store was put back."
      ))
  }
}
