import Foundation
import Testing

@testable import Keepsake

/// Small artifacts that are read again are given from memory, and never as they are no more.
@Suite("Reading an artifact again")
struct ReadingAgainTests {
  private static let bytes = [UInt8](repeating: 5, count: 10_000)

  /// A store with an artifact that was read so often that its bytes are kept.
  private func withKept(_ body: (Store, Session, Artifact) async throws -> Void) async throws {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let session = try await store.createSession()
      let artifact = try #require(try await session.attach(.init(.bytes(Self.bytes))).artifact)
      for _ in 0..<3 { #expect(try await Array(artifact.data()) == Self.bytes) }
      try await body(store, session, artifact)
    }
  }

  @Test func `gives the same in every way to ask`() async throws {
    try await withKept { store, _, artifact in
      for _ in 0..<3 {
        #expect(try await Array(artifact.data()) == Self.bytes)
        #expect(try await Array(artifact.data(in: 9_990..<10_000)) == Self.bytes.suffix(10))
        #expect(try await artifact.data(in: 7..<7).isEmpty)
        #expect(try await artifact.withBytes { $0.byteCount } == Self.bytes.count)
        #expect(try artifact.text().utf8.count == Self.bytes.count)
        var pieces: [UInt8] = []
        for try await piece in artifact.chunks(of: 999) { pieces += piece }
        #expect(pieces == Self.bytes)
      }
      await store.close()
      #expect(await keepsakeError { try await artifact.data() }?.code == .closed)
    }
  }

  @Test func `gives nobody what somebody else made of it`() async throws {
    try await withKept { _, _, artifact in
      var mine = try await artifact.data()
      mine[0] = 6
      mine.append(7)
      #expect(try await Array(artifact.data()) == Self.bytes)
    }
  }

  @Test func `says that it is gone once it was deleted`() async throws {
    try await withKept { store, session, artifact in
      try await store.deleteSession(session.id)
      for _ in 0..<3 {
        #expect(await keepsakeError { try await artifact.data() }?.code == .artifactMissing)
      }
    }
  }

  /// A row's number is the next one that is free, which may be that of an artifact that was removed.
  @Test func `does not give another one that got its number`() async throws {
    try await withKept { store, session, artifact in
      try await store.deleteSession(session.id)
      var other = Self.bytes
      other[5_000] = 6
      let next = try #require(
        try await store.createSession().attach(.init(.bytes(other))).artifact)
      try #require(next.home?.number == artifact.home?.number)
      for _ in 0..<4 {
        #expect(try await Array(next.data()) == other)
        #expect(await keepsakeError { try await artifact.data() }?.code == .artifactMissing)
      }
    }
  }

  @Test(arguments: [
    "UPDATE blob SET bytes = zeroblob(10000)", "DELETE FROM blob", "UPDATE artifact SET size = 5",
  ])
  func `sees at once what another process did to it`(_ harm: String) async throws {
    try await withKept { store, session, artifact in
      let program = try OtherProgram(
        "/usr/bin/env", ["sqlite3", store.url.appending(path: "store.sqlite").path, harm])
      #expect(program.succeeds())
      let found = try #require(try await session.attachments().first?.artifact)
      let expected: KeepsakeError.Code =
        harm.hasPrefix("DELETE") ? .artifactMissing : .artifactDamaged
      for _ in 0..<3 {
        #expect(await keepsakeError { try await found.data() }?.code == expected)
      }
      // What was handed out before still knows how many there were.
      if !harm.hasSuffix("size = 5") {
        #expect(await keepsakeError { try await artifact.data() }?.code == expected)
      }
    }
  }

  @Test func `gives each its own where there are more than are kept`() async throws {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let session = try await store.createSession()
      func bytes(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(number), count: 1_000 * (1 + number % 100))
      }
      let artifacts = try await session.attach((0..<60).map { .init(.bytes(bytes($0))) })
      for round in 0..<4 {
        for (number, attachment) in artifacts.enumerated() where number % 4 >= round {
          for _ in 0..<2 { #expect(try await Array(attachment.data()) == bytes(number)) }
        }
      }
    }
  }

  @Test func `is right while others write, and on many threads`() async throws {
    try await withKept { store, session, artifact in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<6 {
          group.addTask {
            for _ in 0..<200 {
              let found = try await artifact.data()
              #expect(found.elementsEqual(Self.bytes))
            }
          }
        }
        for number in 0..<100 { try await session.append(.event("\(number)")) }
        try await group.waitForAll()
      }
    }
  }
}
