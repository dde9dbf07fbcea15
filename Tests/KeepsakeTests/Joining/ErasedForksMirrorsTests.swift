import Foundation
import Testing

@testable import Keepsake

/// A fork repeats entries that it shares with another session. The preview of a fork is the beginning of a shared prompt, and the records of
/// an imported file say the shared entries. These tests erase shared entries, and expect that no hub and no store repeats them any more.
@Suite struct `What a fork repeats of an erased entry` {
  /// The ways in which a fork comes about. The first store erases a shared entry, and one of the stores imports the file of the fork.
  enum Making: CaseIterable {
    /// The first store imports the fork, and all stores have the fork when the first store erases.
    case before
    /// The second store imports the fork, and all stores have the fork when the first store erases.
    case beforeElsewhere
    /// The second store imports the fork and tells the hub. The first store erases without having the fork.
    case toldFirst
    /// The second store imports the fork without knowing that the first store has erased and told the hub.
    case toldLast

    var isElsewhere: Bool { self != .before }
  }

  /// The ways in which a test differs from the simplest one: the fork goes on after the import, the shared prompt is not erased, or the shared
  /// entries were recorded by an app and not imported.
  enum Variation: CaseIterable {
    case none, goesOn, promptStays, ofAnApp
    var erased: Range<Int> { self == .promptStays ? 1..<2 : 0..<2 }
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

  private static func talk(in store: Store, isOfApp: Bool) async throws -> Session {
    guard isOfApp else { return try await take(talk, into: store) }
    let session = try await store.createSession(origin: "lines", foreignID: "talk")
    for line in talk {
      let parts = line.dropLast().split(separator: "|").map(String.init)
      var entry = Entry(parts[1] == "prompt" ? .prompt : .response)
      entry.key = parts[0]
      entry.segments = [.text(parts[2])]
      try await session.append(entry)
    }
    return session
  }

  /// Makes a fork, and erases something that the fork shares. The stores that must tell the hub of the erasing sync, and no others.
  private func make(
    _ making: Making, in mirrors: Mirrors, goesOn: Bool = false, _ erase: () async throws -> Void
  ) async throws -> Session {
    if making == .toldLast {
      try await erase()
      try await mirrors.first.sync()
    }
    let store = making.isElsewhere ? mirrors.second : mirrors.first
    let fork = try await Self.take(Self.fork, into: store)
    try #require(fork.lineage.shared.count == 1)
    switch making {
    case .before, .beforeElsewhere: try await mirrors.sync()
    case .toldFirst, .toldLast: try await store.sync()
    }
    if goesOn { try await fork.append(.response("It goes on.")) }
    if making == .toldLast { return fork }
    try await erase()
    try await mirrors.first.sync()
    return fork
  }

  @Test(arguments: Making.allCases, Variation.allCases)
  func `goes from the hub and from all stores`(making: Making, variation: Variation) async throws {
    try await Mirrors.make(3) { mirrors in
      let session = try await Self.talk(in: mirrors.first, isOfApp: variation == .ofAnApp)
      try await mirrors.sync()
      let goesOn = variation == .goesOn
      let fork = try await make(making, in: mirrors, goesOn: goesOn) {
        for position in variation.erased { try await session.erase(position) }
      }
      #expect(
        try await mirrors.saidByRecords(of: fork) == Set(0..<4).subtracting(variation.erased))
      try await mirrors.sync()
      try await mirrors.sync()
      try await mirrors.requireSame()
      #expect(try OtherVerifier.statuses(mirrors.stores.map(\.url)) == [0, 0, 0])
      for store in mirrors.stores {
        let fork = try await store.session(fork.id)
        let first = variation == .promptStays ? Self.secret : ""
        let texts = try await fork.entries(last: 10).map(\.text)
        #expect(texts == [first, "", "Three.", "Five."] + (goesOn ? ["It goes on."] : []))
        if variation != .promptStays {
          #expect(try await fork.summary().preview == "Three.")
          #expect(try StoreFiles.holding(Self.secret, in: store.url) == [])
        }
      }
      try await mirrors.requireInStep()
      if variation != .promptStays { #expect(try !mirrors.finds(Self.secret)) }
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  /// The kinds of forks that the second store changes while the first store erases.
  struct Race: CustomTestStringConvertible {
    /// Tells whether the first store appended to the fork before it erases.
    let goesOn: Bool
    /// Tells whether the fork repeats records of an imported file; otherwise the fork repeats a prompt as its preview.
    let isImported: Bool
    var testDescription: String {
      "\(goesOn ? "goes on" : "stays"), \(isImported ? "records" : "a preview")"
    }
    static let all = [false, true].flatMap { goesOn in
      [false, true].map { Race(goesOn: goesOn, isImported: $0) }
    }
  }

  /// The first store erases shared entries, and syncs. The second store changes the fork and tells the hub right before one of the calls that
  /// this sync makes.
  @Test(arguments: 1...5, Race.all)
  func `goes from the hub, although the fork changed meanwhile`(call: Int, race: Race)
    async throws
  {
    try await Mirrors.make { mirrors in
      let session = try await Self.take(Self.talk, into: mirrors.first)
      let goesOn = race.goesOn
      let fork: Session
      if race.isImported {
        fork = try await Self.take(Self.fork, into: mirrors.first)
      } else {
        fork = try await session.fork(before: 3)
        try await fork.append(.response("Five."))
      }
      try await mirrors.sync()
      let there = try await mirrors.second.session(fork.id)
      for position in (race.isImported ? 1 : 0)..<2 { try await session.erase(position) }
      if goesOn { try await fork.append(.response("It goes on.")) }
      let address = InterruptedHub.address(mirrors.address, counting: .before) { number in
        guard number == call else { return }
        if goesOn {
          try await there.rename("A title")
        } else {
          try await there.append(.response("It goes on elsewhere."))
        }
        try await mirrors.second.sync()
      }
      try await mirrors.first.sync(with: address)
      if race.isImported {
        #expect(try await mirrors.saidByRecords(of: fork) == [0, 2, 3])
      } else {
        #expect(try !mirrors.finds(Self.secret))
      }
      try await mirrors.sync()
      try await mirrors.sync()
      try await mirrors.requireSame()
      #expect(try await fork.count() == 5)
      #expect(try await there.summary().title == (goesOn ? "A title" : nil))
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  /// The first store erases entries of a session, and the second store appends to that session and to a fork of it. A sync parts the two
  /// continuations of the session, and writes the fork in the second store anew.
  @Test(arguments: 1...3)
  func `goes from the hub with the fork of a session that went on in two stores`(call: Int)
    async throws
  {
    try await Mirrors.make { mirrors in
      let session = try await Self.take(Self.talk, into: mirrors.first)
      try await mirrors.sync()
      let there = try await mirrors.second.session(session.id)
      let fork = try await there.fork(before: 3)
      for position in 0..<2 { try await session.erase(position) }
      try await session.append(.response("It goes on."))
      let address = InterruptedHub.address(mirrors.address, counting: .before) { number in
        if number == call { try await mirrors.second.sync() }
      }
      try await mirrors.first.sync(with: address)
      for session in [fork, there] { try await session.append(.response("It goes on elsewhere.")) }
      try await mirrors.second.sync()
      #expect(try !mirrors.finds(Self.secret))
      try await mirrors.sync()
      try await mirrors.sync()
      try await mirrors.requireSame()
      #expect(try await mirrors.first.sessions().sessions.count == 3)
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  /// A record of an imported file may have the bytes of an attachment. So erasing an attachment erases the record of the entry that has the
  /// attachment.
  @Test(arguments: Making.allCases, [false, true])
  func `goes with an attachment of the entry`(making: Making, isOfApp: Bool) async throws {
    try await Mirrors.make(3) { mirrors in
      let session = try await Self.talk(in: mirrors.first, isOfApp: isOfApp)
      try await session.attach(.init(.bytes(Array("A picture".utf8))), to: 0)
      try await mirrors.sync()
      let fork = try await make(making, in: mirrors) {
        try await session.erase(try #require(try await session.attachments().first))
      }
      #expect(try await mirrors.saidByRecords(of: fork) == [1, 2, 3])
      try await mirrors.sync()
      try await mirrors.sync()
      try await mirrors.requireSame()
      for store in mirrors.stores {
        let fork = try await store.session(fork.id)
        #expect(try await fork.attachments().map(\.state) == [.erased])
        #expect(try store.handle.read { try fork.erasedShared(in: $0) } == [0])
        #expect(try await store.sync() == SyncReport())
      }
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  /// A deleted fork stays in the hub and in the stores while another fork shares entries with the deleted one. The other fork may also erase an
  /// entry that the deleted fork does not share with the session.
  @Test(arguments: [false, true], [false, true])
  func `goes from a fork that was deleted`(isElsewhere: Bool, erasesOwn: Bool) async throws {
    for _ in 0..<2 {
      try await Mirrors.make(3) { mirrors in
        let session = try await Self.take(Self.talk, into: mirrors.first)
        let fork = try await Self.take(Self.fork, into: mirrors.first)
        let nested = try await fork.fork(before: 4)
        try await mirrors.sync()
        try await mirrors.stores[isElsewhere ? 1 : 0].deleteSession(fork.id)
        try await mirrors.sync()
        for position in 0..<2 { try await session.erase(position) }
        if erasesOwn { try await nested.erase(3) }
        try await mirrors.sync()
        try await mirrors.sync()
        #expect(try !mirrors.finds(Self.secret))
        try await mirrors.requireSame()
        #expect(try OtherVerifier.statuses(mirrors.stores.map(\.url)) == [0, 0, 0])
        for store in mirrors.stores {
          let texts = try await store.session(nested.id).entries(last: 10).map(\.text)
          #expect(texts == ["", "", "Three.", erasesOwn ? "" : "Five."])
        }
        try await mirrors.requireInStep()
        try await mirrors.requireErased()
        try await mirrors.requireSoundHub()
      }
    }
  }

  /// Erasing a prompt gives a fork a new preview, and the hub is told the whole fork. A title or tags that the fork got at the same time must
  /// not be lost with that.
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

extension Mirrors {
  /// Returns the positions of the entries that records of files say in any version of a session at the hub.
  fileprivate func saidByRecords(of session: Session) async throws -> Set<Int> {
    let hub = try await FolderHub.open(at: folder.path)
    let records = try await hub.allVersions(of: session.id).flatMap(\.commit.records)
    await hub.close()
    return Set(
      records.filter { $0.kind == .piece && !$0.isErasedPiece }.compactMap { $0.int("position") })
  }
}
