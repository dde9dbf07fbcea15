import Foundation
import Testing

@testable import Keepsake

/// Two handles of one open store: closing one closes that one.
@Suite struct `A handle that was closed` {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  @Test func `and its sessions say so, while another handle of the store works on`() async throws {
    let first = try await Store(at: folder.store)
    let second = try await Store(at: folder.store)
    let session = try await first.createSession()
    try await session.append([.prompt("zero"), .response("one")])
    let attached = try await session.attach(.labelled("a"), to: 0)
    let turn = try await session.openTurn()
    let run = try await session.begin(.tool, "Draw")
    let draft = try await session.draft()
    await first.close()
    await first.close()

    await expectClosed { try await first.createSession() }
    await expectClosed { try await first.session(session.id) }
    await expectClosed { try await first.session(matching: "a") }
    await expectClosed { try await first.sessions() }
    await expectClosed { try await first.search("zero") }
    await expectClosed { try await first.indexForSearch() }
    await expectClosed { try await first.verify() }
    await expectClosed { try await first.sweep() }
    await expectClosed { try await first.compact() }
    await expectClosed { try await first.deleteSession(session.id) }
    await expectClosed { try await first.audit(try #require(attached.artifact).id) }
    await expectClosed { try await first.audit(tool: "Draw") }

    await expectClosed { try await session.append(.prompt("two")) }
    await expectClosed { try await session.append([Entry.prompt("two")]) }
    await expectClosed { try await session.save([.prompt("two")]) }
    await expectClosed { try await session.attach(.labelled("b")) }
    await expectClosed { try await session.settle(attached, as: .superseded) }
    await expectClosed { try await session.caption(attached, "a") }
    await expectClosed { try await session.bind(attached, to: 1) }
    await expectClosed { try await session.erase(0) }
    await expectClosed { try await session.erase(attached) }
    await expectClosed { try await session.revise(0, to: .prompt("other")) }
    await expectClosed { try await session.revisions(of: 0) }
    await expectClosed { try await session.fork() }
    await expectClosed { try await session.rename("a") }
    await expectClosed { try await session.tag(["a"]) }
    await expectClosed { try await session.metadata() }
    await expectClosed { try await session.setMetadata(nil) }
    await expectClosed { try await session.summary() }
    await expectClosed { try await session.count() }
    await expectClosed { try await session.entries.all() }
    await expectClosed { for try await _ in session.entries {} }
    await expectClosed { try await session.entries(last: 1) }
    await expectClosed { try await session.entries(before: 1, count: 1) }
    await expectClosed { try await session.entries(after: 0, count: 1) }
    await expectClosed { try await session.entries(ofTurn: 1) }
    await expectClosed { try await session.entry(at: 0) }
    await expectClosed { try await session.attachment("a") }
    await expectClosed { try await session.attachments() }
    await expectClosed { try await session.audit() }
    await expectClosed { try await session.openTurn() }
    await expectClosed { try await session.close(turn, .answered) }
    await expectClosed { try await session.turns() }
    await expectClosed { try await session.begin(.tool, "Draw") }
    await expectClosed { try await session.end(run, .finished) }
    await expectClosed { try await session.invocations() }
    await expectClosed { try await session.draft() }
    await expectClosed { try await session.drafts() }
    await expectClosed { try await draft.finish() }

    let same = try await second.session(session.id)
    #expect(try await same.texts() == ["zero", "one"])
    try await same.append(.prompt("two"))
    #expect(try await same.count() == 3)
    await second.close()
  }

  @Test func `leaves what was read through it readable while the store is open`() async throws {
    let first = try await Store(at: folder.store)
    let second = try await Store(at: folder.store)
    let session = try await first.createSession()
    let small = try await session.attach(.labelled("a"))
    await first.close()
    #expect(try await small.data() == Data("a".utf8))
    await second.close()
    await expectClosed { try await small.data() }
  }

  @Test func `ends what it observed, and not what another one does`() async throws {
    let first = try await Store(at: folder.store)
    let second = try await Store(at: folder.store)
    let session = try await second.createSession()
    let ending = try await first.session(session.id).events
    let going = session.events
    await first.close()
    for await event in ending { Issue.record("It heard of \(event)") }
    for await event in first.events { Issue.record("It heard of \(event)") }
    try await session.append(.prompt("zero"))
    var iterator = going.makeAsyncIterator()
    let event = await iterator.next()
    guard case .appended(session.id, let positions) = event else {
      Issue.record("It heard of \(String(describing: event))")
      return
    }
    #expect(positions == 0..<1)
    await second.close()
  }

  @Test func `finishes what was asked of it before`() async throws {
    let first = try await Store(at: folder.store)
    let second = try await Store(at: folder.store)
    let session = try await first.createSession()
    let kept = try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<64 {
        group.addTask {
          do {
            try await session.append(.event("\(index)"))
            return true
          } catch let error as KeepsakeError where error.code == .closed {
            return false
          }
        }
      }
      await first.close()
      var kept = 0
      for try await isKept in group where isKept { kept += 1 }
      return kept
    }
    #expect(try await second.session(session.id).count() == kept)
    await second.close()
  }

  @Test func `is not the store: it can be opened again, by the same sessions' ids`() async throws {
    let first = try await Store(at: folder.store)
    let session = try await first.createSession()
    await first.close()
    let again = try await Store(at: folder.store)
    try await again.session(session.id).append(.prompt("zero"))
    await expectClosed { try await session.count() }
    await again.close()
  }

  @Test func `stays open while one of its sessions is used, though nobody holds it`() async throws {
    var store: Store? = try await Store(at: folder.store)
    let session = try await store?.createSession()
    store = nil
    for index in 0..<20 {
      try await session?.append(.event("\(index)"))
      await Task.yield()
    }
    #expect(try await session?.count() == 20)
  }

  private func expectClosed<Result>(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Result
  ) async {
    let error = await keepsakeError(sourceLocation: sourceLocation, body)
    #expect(error?.code == .closed, sourceLocation: sourceLocation)
    #expect(error?.message.contains("Open it again") == true, sourceLocation: sourceLocation)
  }
}
