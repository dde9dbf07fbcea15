import KeepsakeFiles
import Foundation
import Testing

@testable import Keepsake

/// What a process that was killed left open.
@Suite struct `What was interrupted` {
  /// Opens the store at a path as another process would.
  private func opened(_ path: String, _ options: Store.Options = .init()) async throws -> Store {
    let store = try Store(path: path, options: options, registry: StoreRegistry())
    await store.handle.endInterrupted()
    return store
  }

  /// A copy of a store as it lies on the disk while it is open: nobody in it is alive there.
  private func killed(_ store: Store, _ body: (String) async throws -> Void) async throws {
    let path = store.url.path + ".killed"
    try FileManager.default.copyItem(atPath: store.url.path, toPath: path)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await body(path)
  }

  @Test(.disabled(if: SharedStores.areUsed, "This test opens a copy of a store without its hub."))
  func `is found by the next opening, and is not running`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let turn = try await session.openTurn(lane: "chat")
      let run = try await session.begin(.tool, "Draw", lane: "chat")
      #expect(try await session.turns(open: true) == [turn])
      #expect(try await session.invocations(running: true).map(\.id) == [run.id])
      try await killed(store) { path in
        let reading = try await opened(path, .readOnly)
        let read = try await reading.session(session.id)
        #expect(try await read.turns(open: true).isEmpty)
        #expect(try await read.invocations(running: true).isEmpty)
        await reading.close()

        let next = try await opened(path)
        let found = try await next.session(session.id)
        #expect(try await found.turns().map(\.outcome) == [.interrupted])
        #expect(try await found.invocations().map(\.outcome) == [.interrupted])
        #expect(try await found.turns(open: true).isEmpty)
        #expect(try await found.invocations(running: true).isEmpty)
        #expect(try await next.verify().findings == [])
        // A prompt does not fall into the turn that died.
        var prompt = Entry.prompt("again")
        prompt.lane = "chat"
        #expect(try await found.append(prompt).turn == turn.number + 1)
        await next.close()
      }
      // To whoever has them they are open.
      #expect(try await session.turns(open: true) == [turn])
      let ended = try await session.end(run, .finished, output: "a cup")
      #expect(ended.outcome == .finished)
      #expect(try await session.close(turn, .answered).outcome == .answered)
      #expect(try await session.turns(open: true).isEmpty)
    }
  }

  @Test func `is ended at the hub when a store that shares its sessions is opened again`()
    async throws
  {
    try await Sharers.make(1) { sharers in
      let folder = try TestFolder()
      func opened() async throws -> Store {
        try await Store(
          at: folder.store, joining: sharers.address, as: .shared, options: .withoutIndexing)
      }
      let store = try await opened()
      let session = try await store.createSession()
      let turn = try await session.openTurn()
      _ = try await session.begin(.tool, "Draw")
      await store.close()
      // A store can't know whether the process that opened another store is still alive.
      let seen = try await sharers.first.session(session.id)
      #expect(try await seen.turns().map(\.outcome) == [nil])

      let next = try await opened()
      let found = try await next.session(session.id)
      #expect(try await found.turns().map(\.outcome) == [.interrupted])
      #expect(try await found.invocations().map(\.outcome) == [.interrupted])
      #expect(try await found.append(.prompt("again")).turn == turn.number + 1)
      try await seen.refresh()
      #expect(try await seen.turns().first?.outcome == .interrupted)
      #expect(try await seen.invocations().map(\.outcome) == [.interrupted])
      await next.close()
      try await sharers.requireSame()
    }
  }

  @Test func `another process that opens the store leaves what lives alone`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let turn = try await session.openTurn()
      let run = try await session.begin(.step, "Draw")
      let other = try await opened(store.url.path)
      let seen = try await other.session(session.id)
      #expect(try await seen.turns(open: true) == [turn])
      #expect(try await seen.invocations(running: true).map(\.id) == [run.id])
      #expect(try await seen.append(.prompt("from elsewhere")).turn == turn.number)
      await other.close()
      #expect(try await session.turns(open: true) == [turn])
    }
  }

  @Test(.disabled(if: SharedStores.areUsed, "Another process needs the hub to see that."))
  func `who was only suspended closes its turn all the same`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let turn = try await session.openTurn()
      let run = try await session.begin(.tool, "Draw")
      await store.suspend()
      #expect(try await session.append(.prompt("still in it")).turn == turn.number)
      await store.suspend()
      let other = try await opened(store.url.path)
      let seen = try await other.session(session.id)
      #expect(try await seen.turns().map(\.outcome) == [.interrupted])
      await other.close()
      #expect(try await session.end(run, .finished).outcome == .finished)
      #expect(try await session.close(turn, .answered).outcome == .answered)
      #expect(try await session.turns() == [try await session.close(turn, .failed)])
      #expect(try await store.verify().findings == [])
    }
  }
}
