import Foundation
import Testing

@testable import Keepsake

/// A fork repeats what it shares: its preview is the beginning of a prompt, and the records of the file that it was imported from say the
/// shared entries, too. If such an entry is erased, that goes as well, whichever store has the fork.
@Suite struct `What a fork repeats of an erased entry` {
  /// The ways in which the fork comes about. The first store erases, and the fork's file is imported by either store.
  enum Making: CaseIterable {
    /// All have the fork before.
    case before, beforeElsewhere
    /// The hub gets the fork when it has the erasing already, or has not got it yet.
    case unknown, toldFirst
    /// The erasing store gets the fork after it has erased, and before the hub is told that.
    case comesBetween

    var isElsewhere: Bool { self != .before }
  }

  private static let secret = "SECRET-\(UUID().uuidString)"

  private static let talk = [
    "1|prompt|\(secret)\n", "2|response|\(secret)\n", "3|prompt|Three.\n", "4|response|Four.\n",
  ]
  private static let fork = Array(talk[..<3]) + ["5|response|Five.\n"]

  private static func take(_ lines: [String], into store: Store) async throws
    -> Session
  {
    let report = try await store.importing(LineFormat.source(lines.joined(), foreignID: "talk"))
    return try await store.session(try #require(report.sessions.first).id)
  }

  /// Makes the fork. Where that is how it comes about, something is erased before.
  private func make(
    _ making: Making, of file: [String], in mirrors: Mirrors, _ erase: () async throws -> Void
  ) async throws -> Session {
    if making == .unknown || making == .comesBetween { try await erase() }
    let fork = try await Self.take(file, into: making.isElsewhere ? mirrors.second : mirrors.first)
    try #require(fork.lineage.shared.count == 1)
    switch making {
    case .before, .beforeElsewhere: try await mirrors.sync()
    case .unknown: try await mirrors.first.sync()
    case .toldFirst: try await mirrors.second.sync()
    case .comesBetween:
      try await mirrors.second.sync()
      try await mirrors.first.sync()
    }
    return fork
  }

  @Test(arguments: Making.allCases, [false, true])
  func `goes from the hub and from all stores`(making: Making, goesOn: Bool) async throws {
    // Which of the two sessions comes first depends on their ids, which are random.
    for _ in 0..<2 {
      try await Mirrors.make(3) { mirrors in
        let session = try await Self.take(Self.talk, into: mirrors.first)
        try await mirrors.sync()
        func erase() async throws {
          for position in 0..<2 { try await session.erase(position) }
        }
        let fork = try await make(making, of: Self.fork, in: mirrors, erase)
        if goesOn {
          let store = making.isElsewhere ? mirrors.second : mirrors.first
          try await store.session(fork.id).append(.response("It goes on."))
        }
        try await erase()
        try await mirrors.sync()
        try await mirrors.sync()
        #expect(try !mirrors.finds(Self.secret))
        try await mirrors.requireSame()
        #expect(try OtherVerifier.statuses(mirrors.stores.map(\.url)) == [0, 0, 0])
        for store in mirrors.stores {
          let fork = try await store.session(fork.id)
          let texts = try await fork.entries(last: 10).map(\.text)
          #expect(texts == ["", "", "Three.", "Five."] + (goesOn ? ["It goes on."] : []))
          #expect(try await fork.summary().preview == "Three.")
          #expect(try await store.membership()?.aside == [])
          #expect(try await store.membership()?.waiting == 0)
          #expect(try await store.sync() == SyncReport())
        }
        try await mirrors.requireErased()
        try await mirrors.requireSoundHub()
      }
    }
  }

  /// With an attachment goes the record of its entry, which might have the bytes, too.
  @Test(arguments: Making.allCases)
  func `goes with an attachment of the entry`(making: Making) async throws {
    for _ in 0..<2 {
      try await Mirrors.make(3) { mirrors in
        let session = try await Self.take(Self.talk, into: mirrors.first)
        try await session.attach(.init(.bytes(Array("A picture".utf8))), to: 0)
        try await mirrors.sync()
        func erase() async throws {
          try await session.erase(try #require(try await session.attachments().first))
        }
        let fork = try await make(making, of: Self.fork, in: mirrors, erase)
        try await erase()
        try await mirrors.sync()
        try await mirrors.sync()
        try await mirrors.requireSame()
        for store in mirrors.stores {
          let fork = try await store.session(fork.id)
          #expect(try await fork.attachments().map(\.state) == [.erased])
          #expect(try store.handle.read { try fork.erasedRecords(in: $0) } == [0])
          #expect(try await store.sync() == SyncReport())
        }
        try await mirrors.requireErased()
        try await mirrors.requireSoundHub()
      }
    }
  }

  /// The fork was deleted, and is there for a fork of its own.
  @Test(arguments: [false, true])
  func `goes from a fork that was deleted`(isElsewhere: Bool) async throws {
    for _ in 0..<2 {
      try await Mirrors.make(3) { mirrors in
        let session = try await Self.take(Self.talk, into: mirrors.first)
        let fork = try await Self.take(Self.fork, into: mirrors.first)
        let nested = try await fork.fork(before: 4)
        try await mirrors.sync()
        try await mirrors.stores[isElsewhere ? 1 : 0].deleteSession(fork.id)
        try await mirrors.sync()
        for position in 0..<2 { try await session.erase(position) }
        try await mirrors.sync()
        try await mirrors.sync()
        #expect(try !mirrors.finds(Self.secret))
        try await mirrors.requireSame()
        #expect(try OtherVerifier.statuses(mirrors.stores.map(\.url)) == [0, 0, 0])
        for store in mirrors.stores {
          let texts = try await store.session(nested.id).entries(last: 10).map(\.text)
          #expect(texts == ["", "", "Three.", "Five."])
          #expect(try await store.membership()?.aside == [])
          #expect(try await store.sync() == SyncReport())
        }
        try await mirrors.requireErased()
        try await mirrors.requireSoundHub()
      }
    }
  }

  /// A fork whose preview changes is told as a whole, with all that changed in it since.
  @Test(arguments: [false, true])
  func `takes no change of the fork along`(changesElsewhere: Bool) async throws {
    for _ in 0..<2 {
      try await Mirrors.make { mirrors in
        let session = try await mirrors.first.createSession()
        for text in [Self.secret, "Two."] { try await session.append(.prompt(text)) }
        let fork = try await session.fork(before: 2)
        try await mirrors.sync()
        if changesElsewhere { try await mirrors.second.session(fork.id).tag(["far"]) }
        try await fork.rename("A new title")
        try await session.erase(0)
        try await mirrors.sync()
        try await mirrors.requireSame()
        for store in mirrors.stores {
          let summary = try await store.session(fork.id).summary()
          #expect(summary.title == "A new title")
          #expect(summary.tags == (changesElsewhere ? ["far"] : []))
        }
        try await mirrors.requireErased()
      }
    }
  }
}
