import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import Keepsake

/// The preview of a fork is the beginning of a prompt that the fork shares. These tests erase such a prompt in stores that share the sessions
/// of a hub, and expect that the hub has the prompt in no version of a fork.
@Suite struct `What a fork in a store that shares sessions repeats of an erased prompt` {
  private static let secret = "SECRET-\(UUID().uuidString)"

  private static func requireGone(_ forks: [Session], _ sharers: Sharers) async throws {
    for store in sharers.stores { try await store.handle.refreshAll() }
    // A mirror of the hub, which the next comparison makes, would tell the hub of the forks itself.
    #expect(try !sharers.folder.finds(Array(secret.utf8)))
    try await sharers.requireSame()
    for store in sharers.stores {
      for fork in forks {
        #expect(try await store.session(fork.id).summary().preview == "Two.")
      }
    }
  }

  /// The connection of the first store ends at one of the calls with which the store erases a prompt. Other stores, or the first store later,
  /// have to finish the erasing.
  @Test(arguments: [InterruptedHub.Moment.before, .after], 1...12)
  func `is gone, although the connection ended meanwhile`(
    moment: InterruptedHub.Moment, call: Int
  ) async throws {
    let calls = Locked<Int?>(nil)
    var options = Store.Options.withoutIndexing
    options.patience = .milliseconds(100)
    let reaching = Sharers.reaching(0) { hub in
      InterruptedHub.over(hub) { now in
        let isCut = calls.withLock { calls in
          guard let count = calls else { return false }
          if now == .before { calls = count + 1 }
          return calls ?? 0 > call || calls == call && now == moment
        }
        if isCut { throw InterruptedHub.cut }
      }
    }
    try await Sharers.make(options: options, reaching: reaching) { sharers in
      let session = try await sharers.first.createSession()
      for text in [Self.secret, "Two."] { try await session.append(.prompt(text)) }
      let fork = try await session.fork(before: 2)
      try await fork.append(.response("Of the fork."))
      let forks = [fork, try await fork.fork(before: 3)]
      calls.withLock { $0 = 0 }
      _ = try? await session.erase(0)
      calls.withLock { $0 = nil }
      if try await !sharers.second.session(session.id).entries.all()[0].isErased {
        try await sharers.first.session(session.id).erase(0)
      }
      try await Self.requireGone(forks, sharers)
    }
  }

  /// The second store appends to a fork right after one of the calls with which the first store erases a prompt.
  @Test(arguments: 1...8)
  func `is gone, although the fork went on at the same moment`(call: Int) async throws {
    let append = Locked<(@Sendable () async throws -> Void)?>(nil)
    let calls = Locked(0)
    let reaching = Sharers.reaching(0) { hub in
      InterruptedHub.over(hub) { moment in
        guard moment == .after, let body = append.withLock({ $0 }) else { return }
        let number = calls.withLock { calls in
          calls += 1
          return calls
        }
        if number == call { try await body() }
      }
    }
    try await Sharers.make(reaching: reaching) { sharers in
      let session = try await sharers.first.createSession()
      for text in [Self.secret, "Two."] { try await session.append(.prompt(text)) }
      let fork = try await session.fork(before: 2)
      let there = try await sharers.second.session(fork.id)
      append.withLock { $0 = { try await there.append(.response("At the same moment.")) } }
      try await session.erase(0)
      append.withLock { $0 = nil }
      #expect(calls.withLock { $0 } >= call)
      #expect(try await there.count() == 3)
      try await Self.requireGone([fork], sharers)
    }
  }

  /// The first store erases a prompt and tells the hub of the fork. The second store, which has the fork, too, must not tell the same again.
  @Test func `is told to the hub by one store`() async throws {
    let commits = Locked(0)
    let reaching = Sharers.reaching(1) { CommitCountingHub(hub: $0, commits: commits) }
    try await Sharers.make(reaching: reaching) { sharers in
      let session = try await sharers.first.createSession()
      for text in [Self.secret, "Two."] { try await session.append(.prompt(text)) }
      let fork = try await session.fork(before: 2)
      let there = try await sharers.second.session(fork.id)
      try await session.erase(0)
      try await sharers.second.session(session.id).refresh()
      #expect(try await there.summary().preview == "Two.")
      #expect(commits.withLock { $0 } == 0)
      try await Self.requireGone([fork], sharers)
    }
  }
}

/// A hub that counts the calls by which it is asked for commits.
private struct CommitCountingHub: ForwardingHub {
  let hub: any Hub
  let commits: Locked<Int>

  func commit(_ offers: [HubOffer]) async throws -> [HubAnswer] {
    commits.withLock { $0 += 1 }
    return try await hub.commit(offers)
  }
}
