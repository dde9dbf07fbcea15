import Foundation
import KeepsakeTestSupport
import Testing

@testable import Keepsake

/// Commits that follow each other and are written as one.
@Suite struct `Commits together` {
  @Test func `are one where each only adds, and say the same`() async throws {
    try await CommitPair.make { pair in
      let session = try await pair.first.createSession()
      try await pair.handOver()
      var commits: [SessionCommit] = []
      func take() async throws { commits += try await pair.first.takeCommits() }
      for number in 0..<5 {
        try await session.append(.prompt("\(number)"))
        try await take()
      }
      let turn = try await session.openTurn()
      try await take()
      let run = try await session.begin(.step, "draw")
      try await take()
      try await session.append(.response("five"))
      try await take()
      try await session.close(turn, .answered)
      try await take()
      // A changed row begins a new commit, and so does one that has numbers of its own.
      try await session.end(run, .finished)
      try await take()
      try await session.revise(0, to: .prompt("nought"))
      try await take()
      try await session.attach(.init(.bytes([1, 2, 3])), to: 1)
      try await take()
      for number in 6..<9 {
        try await session.append(.prompt("\(number)"))
        try await take()
      }
      let together = commits.together
      #expect(commits.count == 15)
      #expect(together.count < 7)
      #expect(together[0].records.filter { $0.kind == .entry }.count == 6)
      #expect(together.map(\.end).last == commits.map(\.end).last)
      var bases: [Chain?] = together.map(\.base)
      #expect(bases.removeFirst() == commits[0].base)
      #expect(bases == together.dropLast().map(\.end))
      let bytes = StoredBytes(store: pair.first)
      for commit in together { try await pair.second.apply(commit, artifacts: bytes) }
      #expect(try await pair.difference() == nil)
      #expect(try await pair.second.verify(.init(readData: true)).isSound)
    }
  }

  @Test func `of sessions that don't follow each other stay as they are`() async throws {
    try await CommitPair.make { pair in
      let sessions = [
        try await pair.first.createSession(), try await pair.first.createSession(),
      ]
      try await pair.handOver()
      var commits: [SessionCommit] = []
      for number in 0..<4 {
        try await sessions[number % 2].append(.prompt("\(number)"))
        commits += try await pair.first.takeCommits()
      }
      #expect(commits.together.map(\.session) == commits.map(\.session))
      #expect([SessionCommit]().together.isEmpty)
      #expect([commits[0], commits[2]].together.count == 1)
      #expect([commits[2], commits[0]].together.count == 2)
    }
  }

  @Test func `are not one where an entry stands before the last one, or comes twice`() async throws
  {
    try await CommitPair.make { pair in
      let session = try await pair.first.createSession()
      try await pair.handOver()
      var commits: [SessionCommit] = []
      for number in 0..<3 {
        try await session.append([.prompt("\(number)"), .response("\(number)")])
        commits += try await pair.first.takeCommits()
      }
      #expect(commits.together.count == 1)
      // A commit that repeats the last entry of the first commit begins another run, to which the third commit belongs.
      for (entries, count) in [([3, 2], 3), ([1, 3], 2), ([2, 2], 3), ([2, 3], 1)] {
        let records = commits.flatMap(\.records).filter { $0.kind == .entry }
        let forged = SessionCommit(
          session: session.id, base: commits[1].base, end: commits[1].end,
          records: entries.map { records[$0] }, gone: [], erased: [])
        #expect([commits[0], forged, commits[2]].together.count == count, "\(entries)")
      }
    }
  }
}
