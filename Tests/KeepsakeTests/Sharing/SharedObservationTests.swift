import Foundation
import KeepsakeFiles
import Testing

@testable import Keepsake

/// Observers of a store that shares sessions, of which other stores change some meanwhile.
@Suite struct `Observers of a store that shares sessions` {
  /// The next events, as short texts.
  private func next(_ count: Int, of events: inout StoreEvents.Iterator) async -> [String] {
    var texts: [String] = []
    while texts.count < count, let event = await events.next() { texts.append(event.summary) }
    return texts
  }

  @Test(.timeLimit(.minutes(60)))
  func `of a session are told exactly what another store did`() async throws {
    try await Sharers.make { sharers in
      let written = try await sharers.first.createSession(title: "Fruit")
      let read = try await sharers.second.session(written.id)
      var events = read.events.makeAsyncIterator()
      try await written.append([.response("a"), .response("b")])
      #expect(await next(1, of: &events) == ["appended 0..<2"])
      #expect(try await read.entries.all().map(\.text) == ["a", "b"])
      try await written.revise(0, to: .response("c"))
      #expect(await next(1, of: &events) == ["revised 0"])
      try await written.rename("Green fruit")
      #expect(await next(1, of: &events) == ["renamed"])
      try await written.attach(Entry.NewAttachment(.data(Data("d".utf8))), to: 1)
      #expect(await next(1, of: &events) == ["attached file_1"])
      // An append of the observing store causes one event, and no second one when the store looks at the hub.
      try await read.append(.response("e"))
      #expect(await next(1, of: &events) == ["appended 2..<3"])
      try await written.refresh()
      try await written.append(.response("f"))
      #expect(await next(1, of: &events) == ["appended 3..<4"])
      try await sharers.first.deleteSession(written.id)
      #expect(await next(1, of: &events) == ["deleted"])
    }
  }

  @Test(.timeLimit(.minutes(60)))
  func `of all sessions are told of those that another store makes, changes and deletes`()
    async throws
  {
    try await Sharers.make { sharers in
      let before = try await sharers.first.createSession(title: "Before")
      var events = sharers.second.events.makeAsyncIterator()
      #expect(await next(1, of: &events) == ["created"])
      let session = try await sharers.first.createSession(title: "Fruit")
      #expect(await next(1, of: &events) == ["created"])
      try await session.append(.response("a"))
      #expect(await next(1, of: &events) == ["appended 0..<1"])
      try await sharers.first.deleteSession(before.id)
      #expect(await next(1, of: &events) == ["deleted"])
    }
  }

  @Test(.timeLimit(.minutes(60)))
  func `are told what they missed once the hub can be reached again`() async throws {
    let isCut = Locked(false)
    let cuts = Locked(0)
    let reaching: (HubAddress, Int) -> HubAddress = { address, index in
      if index == 0 { return address }
      return InterruptedHub.address(address) { _ in
        guard isCut.withLock({ $0 }) else { return }
        cuts.withLock { $0 += 1 }
        throw InterruptedHub.cut
      }
    }
    try await Sharers.make(reaching: reaching) { sharers in
      let written = try await sharers.first.createSession(title: "Fruit")
      let read = try await sharers.second.session(written.id)
      var events = read.events.makeAsyncIterator()
      isCut.withLock { $0 = true }
      try await written.append(.response("a"))
      while cuts.withLock({ $0 }) < 2 { try await Task.sleep(for: .milliseconds(20)) }
      #expect(try await read.count() == 0)
      while sharers.second.hubFailure == nil { try await Task.sleep(for: .milliseconds(20)) }
      #expect(sharers.second.hubFailure?.cause as? HubFault == .unreachable)
      isCut.withLock { $0 = false }
      #expect(await next(1, of: &events) == ["appended 0..<1"])
      while sharers.second.hubFailure != nil { try await Task.sleep(for: .milliseconds(20)) }
    }
  }

  @Test(.timeLimit(.minutes(60)))
  func `cost nothing once they have gone`() async throws {
    let calls = Locked(0)
    let reaching: (HubAddress, Int) -> HubAddress = { address, _ in
      InterruptedHub.address(address) { moment in
        if moment == .before { calls.withLock { $0 += 1 } }
      }
    }
    try await Sharers.make(1, reaching: reaching) { sharers in
      let session = try await sharers.first.createSession()
      calls.withLock { $0 = 0 }
      do {
        let events = session.events
        while calls.withLock({ $0 }) < 2 { try await Task.sleep(for: .milliseconds(20)) }
        withExtendedLifetime(events) {}
      }
      // When the last observer goes, a look at the hub may be under way, which still comes to its end.
      try await Task.sleep(for: HubWatch.pause)
      let known = calls.withLock { $0 }
      try await Task.sleep(for: HubWatch.pause * 3)
      #expect(calls.withLock { $0 } == known)
      // With a new observer the store looks at the hub again.
      let events = session.events
      while calls.withLock({ $0 }) < known + 2 { try await Task.sleep(for: .milliseconds(20)) }
      withExtendedLifetime(events) {}
    }
  }

  @Test(.timeLimit(.minutes(60)))
  func `end with the store, also while the hub does not answer`() async throws {
    let isStuck = Locked(false)
    let reaching: (HubAddress, Int) -> HubAddress = { address, _ in
      InterruptedHub.address(address) { _ in
        guard isStuck.withLock({ $0 }) else { return }
        try await Task.sleep(for: .seconds(3600))
      }
    }
    try await Sharers.make(1, reaching: reaching) { sharers in
      let session = try await sharers.first.createSession()
      isStuck.withLock { $0 = true }
      var events = session.events.makeAsyncIterator()
      try await Task.sleep(for: .milliseconds(100))
      let closing = Task {
        isStuck.withLock { $0 = false }
        await sharers.first.close()
      }
      #expect(await events.next() == nil)
      await closing.value
    }
  }
}
