import Foundation
import Testing

@testable import Keepsake

/// A second opening of the same store that knows nothing of the first one, as another process would be.
///
/// Locks of `flock` and SQLite's data version tell two openings in one process apart as they do two processes.
func openElsewhere(_ store: Store) throws -> Store {
  try Store(path: store.url.path, options: .init(), registry: StoreRegistry())
}

@Suite("Observing")
struct ObservationTests {
  private func withSession(_ body: (Store, Session) async throws -> Void) async throws {
    let store = try await Store.temporary()
    do {
      try await body(store, try await store.createSession(title: "Fruit"))
    } catch {
      try await store.removeTemporary()
      throw error
    }
    try await store.removeTemporary()
  }

  /// The next events, as short texts.
  private func next(_ count: Int, of iterator: inout StoreEvents.Iterator) async -> [String] {
    var texts: [String] = []
    while texts.count < count, let event = await iterator.next() { texts.append(event.summary) }
    return texts
  }

  @Test(.timeLimit(.minutes(60)))
  func `our own changes are told in their order, each once`() async throws {
    try await withSession { store, session in
      var events = session.events.makeAsyncIterator()
      let call = Entry.ToolCall(id: "c", tool: "Draw")
      try await session.append(.toolCalls([call]))
      let run = try await session.begin(.tool, "Draw", callID: "c")
      session.report(0.5, note: "half", of: run)
      try await session.attach(Data("a".utf8), madeBy: call)
      try await session.end(run, .finished)
      try await session.append(.toolOutput(for: call, text: "done"))
      try await session.rename("Bananas")
      try await session.revise(1, to: .toolOutput(for: call, text: "done!"))
      let turn = try await session.openTurn()
      try await session.close(turn, .answered)
      let draft = try await session.draft()
      draft.update("so far")
      try await draft.finish()
      // Of a draft's states that wait the last one is enough.
      let told = await next(14, of: &events)
      #expect(
        told == [
          "appended 0..<1", "invoked", "progress 0.5", "attached file_1", "invoked ended",
          "bound file_1", "appended 1..<2", "renamed", "revised 1", "turn 1", "turn 1 closed",
          "draft so far", "appended 2..<3", "draftEnded 2",
        ])
      // Whatever comes next is new: the watch has found nothing to tell again.
      try await awaitPolls(3, of: store)
      try await session.append(.prompt("x"))
      #expect(await next(1, of: &events) == ["appended 3..<4"])
    }
  }

  @Test(.timeLimit(.minutes(60)))
  func `changes of another process are told with their positions`() async throws {
    try await withSession { store, session in
      try await session.append(.prompt("first"))
      let other = try openElsewhere(store)
      let there = try await other.session(session.id)
      var events = session.events.makeAsyncIterator()
      try await there.append([.prompt("a"), .response("b")])
      #expect(await next(1, of: &events) == ["appended 1..<3"])
      try await there.rename("Bananas")
      #expect(await next(1, of: &events) == ["renamed"])
      try await there.setMetadata(try JSON(validating: "{}"))
      #expect(await next(1, of: &events) == ["renamed"])
      try await there.attach(Entry.NewAttachment(.data(Data("a".utf8))), to: 0)
      #expect(await next(1, of: &events) == ["attached file_1"])
      try await there.revise(0, to: .prompt("other"))
      #expect(await next(1, of: &events) == ["changedElsewhere"])
      _ = try await there.openTurn()
      #expect(await next(1, of: &events) == ["turn 3"])
      let draft = try await there.draft()
      #expect(await next(1, of: &events) == ["draft "])
      draft.update("so")
      #expect(await next(1, of: &events) == ["draft so"])
      try await draft.finish()
      #expect(await next(2, of: &events) == ["appended 3..<4", "draftEnded 3"])
      await other.close()
    }
  }

  @Test(.timeLimit(.minutes(60)))
  func `two writers' entries are each told once and in order`() async throws {
    try await withSession { store, session in
      let other = try openElsewhere(store)
      let there = try await other.session(session.id)
      let events = session.events
      async let ours: Void = { for n in 0..<150 { try await session.append(.prompt("\(n)")) } }()
      async let theirs: Void = { for n in 0..<150 { try await there.append(.response("\(n)")) } }()
      var position = 0
      for await event in events {
        guard case .appended(_, let positions) = event else {
          Issue.record("\(event.summary)")
          continue
        }
        #expect(positions.lowerBound == position)
        position = positions.upperBound
        if position == 300 { break }
      }
      _ = try await (ours, theirs)
      await other.close()
    }
  }

  @Test(.timeLimit(.minutes(60)))
  func `a list hears of new, changed and renamed sessions, here and elsewhere`() async throws {
    try await withSession { store, session in
      let other = try openElsewhere(store)
      var events = store.events.makeAsyncIterator()
      let own = try await store.createSession(title: "own")
      let theirs = try await other.createSession(title: "theirs")
      #expect(await next(1, of: &events) == ["created"])
      let told = await events.next()
      #expect(told?.session == theirs.id)
      #expect(told?.summary == "created")
      try await other.session(own.id).append(.prompt("a"))
      let appended = await events.next()
      #expect(appended?.session == own.id)
      #expect(appended?.summary == "appended 0..<1")
      try await theirs.rename("x")
      let renamed = await events.next()
      #expect(renamed?.session == theirs.id)
      #expect(renamed?.summary == "renamed")
      await other.close()
    }
  }

  @Test(.timeLimit(.minutes(60)), arguments: [false, true])
  func `a deleted session is told once, to those who observe it and to the list`(elsewhere: Bool)
    async throws
  {
    try await withSession { store, session in
      let other = try openElsewhere(store)
      var events = session.events.makeAsyncIterator()
      var list = store.events.makeAsyncIterator()
      try await (elsewhere ? other : store).deleteSession(session.id)
      #expect(await next(1, of: &events) == ["deleted"])
      #expect(await next(1, of: &list) == ["deleted"])
      try await awaitPolls(3, of: store)
      let new = try await store.createSession()
      let told = await list.next()
      #expect(told?.session == new.id)
      await store.close()
      #expect(await events.next() == nil)
      await other.close()
    }
  }

  @Test(.timeLimit(.minutes(60)))
  func `a store that is open for reading sees what others do`() async throws {
    try await withSession { store, session in
      try await session.append(.prompt("a"))
      let reader = try await Store(at: store.url, options: .readOnly)
      var events = try await reader.session(session.id).events.makeAsyncIterator()
      try await session.append(.response("b"))
      #expect(await next(1, of: &events) == ["appended 1..<2"])
      await reader.close()
      #expect(await events.next() == nil)
    }
  }

  @Test(.timeLimit(.minutes(60)))
  func `nothing is looked at while nobody observes`() async throws {
    try await withSession { store, session in
      #expect(store.handle.observers.polls == 0)
      do {
        let events = session.events
        try await awaitPolls(2, of: store)
        withExtendedLifetime(events) {}
      }
      #expect(!store.handle.observers.isObserved)
      // The watch comes to its end by itself, and then counts no more.
      while !store.handle.observers.isResting { try? await Task.sleep(for: .milliseconds(1)) }
      let polls = store.handle.observers.polls
      try await session.append(.prompt("a"))
      try await Task.sleep(for: Watch.interval * 3)
      #expect(store.handle.observers.polls == polls)
    }
  }

  @Test(.timeLimit(.minutes(60)))
  func `a slow observer is told less, and holds little`() async throws {
    try await withSession { store, session in
      var events = session.events.makeAsyncIterator()
      for n in 0..<600 {
        try await session.append(.prompt("\(n)"))
        if n % 2 == 0 { try await session.rename("\(n)") }
      }
      var told: [String] = []
      while told.last != "appended 598..<600", told.last != "appended 599..<600",
        let event = await events.next()
      {
        told.append(event.summary)
      }
      #expect(told.first == "changedElsewhere")
      #expect(told.count <= EventBuffer.limit + 1)
    }
  }

  @Test func `events that follow one another become one`() throws {
    let session = UUID()
    let buffer = EventBuffer()
    for n in 0..<1000 { buffer.add(.appended(session: session, positions: n..<(n + 1))) }
    buffer.add(.progress(session: session, invocation: session, fraction: 0.1, note: nil))
    buffer.add(.renamed(session: session))
    buffer.add(.progress(session: session, invocation: session, fraction: 0.2, note: nil))
    var told: [String] = []
    while let event = buffer.take() { told.append(event.summary) }
    #expect(told == ["appended 0..<1000", "progress 0.2", "renamed"])
  }

  @Test(.timeLimit(.minutes(60)))
  func `closing the store and cancelling the task end the sequence`() async throws {
    let store = try await Store.temporary()
    let session = try await store.createSession()
    let events = session.events
    let loop = Task { for await _ in events {} }
    let cancelled = Task { for await _ in session.events {} }
    cancelled.cancel()
    await cancelled.value
    try await store.removeTemporary()
    await loop.value
    for await _ in session.events { Issue.record("An event after closing") }
  }

  /// Waits until the watch has looked so many times more.
  private func awaitPolls(_ count: Int, of store: Store) async throws {
    let target = store.handle.observers.polls + count
    while store.handle.observers.polls < target { try await Task.sleep(for: .milliseconds(5)) }
  }
}
