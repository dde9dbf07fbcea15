import Foundation
import KeepsakeFiles
import Testing

@testable import Keepsake

/// A liar can compute the digests and the chain of a forged commit. These tests forge such commits.
@Suite struct `A forged commit whose chain is right is refused` {
  @Test func `where it says of a new entry that it was revised, and has no revision`() async throws
  {
    try await refused("was altered") { records, place in
      records[place]["revised"] = .integer(1)
    }
  }

  @Test func `where an entry has a text that is no artifact of it`() async throws {
    try await refused("no artifact of its own") { records, place in
      let text = String(repeating: "a", count: LargeText.limit + 1)
      records[place]["body"] = .text(EntryBody.encode(.prompt(text)))
    }
  }

  @Test func `where it has an entry as it was, and once more as if it had been revised`()
    async throws
  {
    try await refused("would be lost") { records, place in
      var again = records[place]
      again["chain.change"] = .integer((again.integer("chain.change") ?? 0) + 1)
      again["chain.operation"] = .integer(Int64(Chain.Operation.revise.rawValue))
      again["revised"] = .integer(1)
      records.insert(again, at: place + 1)
    }
  }

  /// Forges a commit that adds an entry, and expects that a store refuses the forged commit, and takes over the true one.
  /// - Parameters:
  ///   - reason: The words that the refusal has to have.
  ///   - forge: A closure that changes the records of the commit, and gets the index of the entry's record.
  private func refused(
    _ reason: String, _ forge: (inout [CopyRecord], Int) -> Void
  ) async throws {
    try await CommitPair.make(options: .withoutIndexing) { pair in
      let session = try await pair.first.createSession()
      try await pair.handOver()
      try await session.append(.prompt("Pears?"))
      let commit = try #require(try await pair.first.takeCommits().first)
      var records = commit.records
      let place = try #require(records.firstIndex { $0.kind == .entry })
      forge(&records, place)
      for index in records.indices where records[index].kind == .entry {
        let digest = try #require(records[index].computedDigest())
        records[index]["chain.digest"] = .blob(digest.bytes)
      }
      let bytes = StoredBytes(store: pair.first)
      let forged = try Self.commit(like: commit, with: records)
      let error = await #expect(throws: (any Error).self) {
        try await pair.second.apply(forged, artifacts: bytes)
      }
      if let error { #expect("\(error)".contains(reason), "\(error)") }
      // A commit that is made in the same way from the true records is no forgery.
      let same = try Self.commit(like: commit, with: commit.records)
      #expect(same.end == commit.end)
      try await pair.second.apply(same, artifacts: bytes)
      #expect(try await pair.difference() == nil)
    }
  }

  /// Makes a commit with other records. The commit promises the chain to which its records lead.
  private static func commit(
    like commit: SessionCommit, with records: [CopyRecord]
  ) throws -> SessionCommit {
    let base = try #require(commit.base)
    func made(_ end: Chain?) -> SessionCommit {
      SessionCommit(
        session: commit.session, base: base, end: end, records: records, gone: commit.gone,
        erased: commit.erased)
    }
    let links = try CommitLinks(of: made(commit.end), after: base)
    return made(try links.fold(onto: base, of: commit.session))
  }
}
