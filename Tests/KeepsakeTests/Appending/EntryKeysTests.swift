import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

/// The index takes keys by blocks of sixteen positions, so all lengths of sessions around them are tried.
@Suite struct `Keys of sessions that are longer than a block` {
  private static func keyed(_ key: String) -> Entry {
    var entry = Entry.response("text of \(key)")
    entry.key = key
    return entry
  }

  /// The keys in the index of a session, as positions.
  private static func indexed(_ session: Session) throws -> Set<Int> {
    try session.handle.read { db in
      let find = try db.prepare("SELECT position FROM entry_key WHERE session = ?")
      find.bind(session.number, at: 1)
      var positions: Set<Int> = []
      while try find.step() { positions.insert(find.int(0)) }
      return positions
    }
  }

  /// All that a session shows is known to it under its keys, and nothing else of what is given.
  private static func expectKnown(
    in session: Session, among keys: [String], _ location: SourceLocation = #_sourceLocation
  ) async throws {
    var first: [String: Int] = [:]
    for entry in try await session.entries.all() {
      if let key = entry.key, first[key] == nil { first[key] = entry.position }
    }
    let count = try await session.count()
    for key in keys {
      guard let position = first[key] else {
        try session.handle.read { db in
          for stretch in session.lineage.stretches(0..<count) {
            let known = try EntryKeys.entry(
              with: key, in: stretch.positions, of: stretch.piece.session, in: db)
            #expect(known == nil, "\(key)", sourceLocation: location)
          }
        }
        continue
      }
      let stored = try await session.append(keyed(key))
      #expect(stored.position == position, "\(key)", sourceLocation: location)
    }
    #expect(try await session.count() == count, sourceLocation: location)
  }

  @Test func `each key is known at once, one by one and in lists, beside entries without one`()
    async throws
  {
    try await withTemporaryStore { store in
      let single = try await store.createSession()
      var keys: [String] = []
      for number in 0..<50 {
        if number % 3 == 1 {
          try await single.append(.prompt("no key"))
        } else {
          keys.append(UUID().uuidString)
          try await single.append(Self.keyed(keys[keys.count - 1]))
          try await Self.expectKnown(in: single, among: keys + ["other"])
        }
      }
      #expect(try Self.indexed(single) == Set((0..<48).filter { $0 % 3 != 1 }))

      let list = try await store.createSession()
      for count in [5, 40, 1, 2, 16, 300] {
        let new = (0..<count).map { _ in UUID().uuidString }
        keys += new
        let known = try await list.entries.all().compactMap(\.key)
        try await list.append((known.suffix(3) + new + new.prefix(2)).map(Self.keyed))
        try await Self.expectKnown(in: list, among: keys)
      }
      #expect(try Self.indexed(list) == Set(0..<352))
      try await expectSound(store)
    }
  }

  @Test func `forks know what they share, wherever they begin, also when their parents are gone`()
    async throws
  {
    try await withTemporaryStore { store in
      let root = try await store.createSession()
      var keys = (0..<40).map { "root \($0)" }
      for key in keys.prefix(35) { try await root.append(Self.keyed(key)) }
      var forks: [Session] = []
      for position in [0, 1, 15, 16, 17, 31, 32, 35] {
        let fork = try await root.fork(before: position)
        let own = (0..<20).map { "\(position) \($0)" }
        try await fork.append(own.map(Self.keyed))
        let inner = try await fork.fork(before: position + 14)
        try await inner.append((0..<4).map { Self.keyed("\(position) inner \($0)") })
        keys += own + (0..<4).map { "\(position) inner \($0)" }
        forks += [fork, inner]
      }
      for key in keys[35..<40] { try await root.append(Self.keyed(key)) }
      for session in [root] + forks { try await Self.expectKnown(in: session, among: keys) }
      try await store.deleteSession(root.id)
      for (index, fork) in forks.enumerated() where index.isMultiple(of: 2) {
        try await store.deleteSession(fork.id)
      }
      for (index, fork) in forks.enumerated() where !index.isMultiple(of: 2) {
        try await Self.expectKnown(in: fork, among: keys)
        try await fork.append((0..<30).map { Self.keyed("late \($0)") })
        try await Self.expectKnown(in: fork, among: keys)
      }
      try await expectSound(store)
      for (index, fork) in forks.enumerated() where !index.isMultiple(of: 2) {
        try await store.deleteSession(fork.id)
      }
      #expect(try store.handle.read { try $0.integer("SELECT count(*) FROM entry_key") } == 0)
    }
  }

  @Test func `a key that comes later is known, in a full block and in the last one`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let texts = (0..<20).map { "key \($0)" }
      for text in texts { try await session.append(.response("text of \(text)")) }
      #expect(try Self.indexed(session).isEmpty)
      try await session.save((texts + ["key 20"]).map(Self.keyed))
      #expect(try await session.count() == 21)
      #expect(try Self.indexed(session) == Set(0..<16))
      try await Self.expectKnown(in: session, among: texts + ["key 20"])
      try await session.append((21..<40).map { Self.keyed("key \($0)") })
      #expect(try Self.indexed(session) == Set(0..<32))
      try await expectSound(store)
    }
  }

  @Test func `two keys with the same digest are two keys`() async throws {
    var seen: [Int32: String] = [:]
    var pair: [String] = []
    var number = 0
    while pair.isEmpty {
      let key = "\(number)"
      if let other = seen.updateValue(key, forKey: EntryKeys.digest(of: key)) {
        pair = [other, key]
      }
      number += 1
    }
    try await withTemporaryStore { store in
      for before in [0, 14, 15, 30] {
        let session = try await store.createSession()
        for filler in 0..<before { try await session.append(Self.keyed("filler \(filler)")) }
        try await session.append(Self.keyed(pair[0]))
        for filler in 0..<20 { try await session.append(Self.keyed("more \(filler)")) }
        try await Self.expectKnown(in: session, among: pair)
        try await session.append(Self.keyed(pair[1]))
        for filler in 20..<40 { try await session.append(Self.keyed("more \(filler)")) }
        try await Self.expectKnown(in: session, among: pair)
      }
      try await expectSound(store)
    }
  }

  @Test func `what was erased keeps its key, also in the index`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      for number in 0..<20 { try await session.append(Self.keyed("\(number)")) }
      for position in [3, 18] {
        try await session.erase(position)
        let error = await keepsakeError { try await session.append(Self.keyed("\(position)")) }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("erased") == true)
      }
      try await expectSound(store)
    }
  }

  @Test(arguments: [
    ("DELETE FROM entry_key WHERE position = 3", ["entry 3"]),
    ("DELETE FROM entry_key WHERE position IN (0, 15)", ["entry 0", "entry 15"]),
    ("UPDATE entry_key SET digest = digest + 1 WHERE position = 4", ["entry 4", "session"]),
    ("INSERT INTO entry_key VALUES (1, 5, 9)", ["session"]),
    ("INSERT INTO entry_key VALUES (1, 5, 99)", ["session"]),
    ("INSERT INTO entry_key VALUES (77, 5, 9)", ["the index of keys"]),
  ])
  func `an index that disagrees with the entries is found`(sql: String, objects: [String])
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      for number in 0..<20 { try await session.append(Self.keyed("\(number)")) }
      await store.close()
      try EverythingStore.tamper(with: store.url, sql)
      let report = try await TamperTests.verify(store.url)
      #expect(report.findings.map(\.severity) == objects.map { _ in .derived })
      let names = objects.map { object in
        if object == "session" { return "session \(session.id)" }
        return object.hasPrefix("entry") ? "\(object) of session \(session.id)" : object
      }
      #expect(report.findings.map(\.object) == names)
      #expect(!report.isSound)
    }
  }

  @Test func `an index that has a key already keeps nothing from being added`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      await store.close()
      let digest = EntryKeys.digest(of: "3")
      try EverythingStore.tamper(with: store.url, "INSERT INTO entry_key VALUES (1, \(digest), 3)")
      let again = try await Store(at: store.url)
      let same = try await again.session(session.id)
      for number in 0..<20 { try await same.append(Self.keyed("\(number)")) }
      try await Self.expectKnown(in: same, among: (0..<25).map { "\($0)" })
      try await expectSound(again)
      await again.close()
    }
  }
}
