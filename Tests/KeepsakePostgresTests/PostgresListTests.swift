import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import Keepsake
@testable import KeepsakePostgres

/// Lists and audits of stores that share the sessions of a database, which takes over only what was asked for.
@Suite(.enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `Stores that share a database list its sessions` {
  private let tools = ["paint", "look"]
  private let tags = ["fruit", "ship", "due"]

  /// Two stores write at random. One that begins later lists what a mirror lists, which has everything.
  @Test(arguments: 1...3) func `as a mirror that has all of them`(seed: UInt64) async throws {
    let server = try #require(PostgresServer.shared)
    try await Slots.shared.run {
      let address = server.address(try await server.database())
      let workers = try await Workers(3, address)
      var random = SeededGenerator(seed: seed)
      var ids: [UUID] = []
      for step in 0..<120 {
        let store = workers.stores[Int.random(in: 0..<2, using: &random)]
        try await act(step, on: store, &ids, &random)
      }
      let mirror = try await Store.temporary(joining: .postgres(address), as: .mirror)
      try await mirror.sync(with: .postgres(address))
      try await sameLists(mirror, workers.stores[2])
      let later = try await Store.temporary(joining: .postgres(address), as: .shared)
      for image in 0..<3 {
        let id = artifact(image).id
        guard (try? await mirror.audit(id)) != nil else { continue }
        try await sameTrail(of: id, mirror, later)
      }
      for tool in tools {
        let found = try await later.audit(tool: tool, limit: .max).products
        let expected = try await mirror.audit(tool: tool, limit: .max).products
        #expect(Set(found.map(\.session)) == Set(expected.map(\.session)))
        #expect(found.count == expected.count)
      }
      for store in [mirror, later] { try await store.removeTemporary() }
      try await workers.end()
    }
  }

  @Test(arguments: 1...2) func `also after the lists were lost and made again`(seed: UInt64)
    async throws
  {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    let address = server.address(database)
    let workers = try await Workers(2, address)
    var random = SeededGenerator(seed: seed &+ 100)
    var ids: [UUID] = []
    for step in 0..<120 {
      let store = workers.stores[Int.random(in: 0..<2, using: &random)]
      try await act(step, on: store, &ids, &random)
    }
    // A fork keeps what it shares of a session that was deleted.
    let kept = try await workers.stores[0].createSession()
    try await kept.append(.toolCalls([.init(tool: "paint")]))
    let fork = try await kept.fork(before: 1)
    try await workers.stores[0].deleteSession(kept.id)
    let sound = try await Store.checkHub(at: .postgres(address))
    #expect(sound.unlisted == [] && sound.isSound, "\(sound.findings)")
    let rows = "SELECT space, session, updated FROM keepsake.listing ORDER BY session"
    func listed() async throws -> [[[UInt8]?]] {
      try await server.sql(database, [rows]).map { row in
        try (0..<3).map { try row.isNull($0) ? nil : row.bytes($0) }
      }
    }
    let listing = try await listed()
    try await server.sql(
      database,
      [
        "DELETE FROM keepsake.term WHERE kind <> 0", "UPDATE keepsake.term SET hash = '\\x00'",
        "DELETE FROM keepsake.listing WHERE session < (SELECT max(session::text)::uuid FROM keepsake.listing)",
        "UPDATE keepsake.listing SET updated = 7",
      ])
    let report = try await Store.checkHub(at: .postgres(address))
    #expect(!report.isSound && report.findings.allSatisfy { $0.severity == .derived })
    #expect(
      report.findings.count == report.unlisted.count && report.unlisted.count == listing.count)
    #expect(report.findings.first?.remedy == KeepsakeError.Remedy.listAgain.description)
    let mended = try await Store.checkHub(at: .postgres(address), mendingLists: true)
    #expect(mended.unlisted.count == report.unlisted.count)
    #expect(try await Store.checkHub(at: .postgres(address), mendingLists: true) == sound)
    #expect(try await Store.checkHub(at: .postgres(address)) == sound)
    #expect(try await listed() == listing)
    let mirror = try await Store.temporary(joining: .postgres(address), as: .mirror)
    try await mirror.sync(with: .postgres(address))
    let late = try await Store.temporary(joining: .postgres(address), as: .shared)
    try await sameLists(mirror, late)
    #expect(
      try await late.sessions(.init(tool: "paint"), limit: .max).sessions.contains {
        $0.id == fork.id
      })
    for store in [mirror, late] { try await store.removeTemporary() }
    try await workers.end()
  }

  @Test func `also of a hub that an earlier version made`() async throws {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    let address = server.address(database)
    let workers = try await Workers(2, address)
    let session = try await workers.stores[0].createSession(title: "Ships", tags: ["due"])
    try await session.append(.prompt("a ship"))
    #expect(try await !Store.upgradeHub(at: .postgres(address)))
    let open = try await PostgresHub.open(at: address)
    // Format 1 had neither lists nor notes.
    try await server.sql(
      database,
      [
        "DROP TABLE keepsake.listing, keepsake.term, keepsake.note",
        "UPDATE keepsake.hub SET format = 1",
      ])
    let refused = await #expect(throws: KeepsakeError.self) {
      try await Store.checkHub(at: .postgres(address))
    }
    #expect(refused?.remedy == .upgradeHub && refused?.cause as? HubFault == .older)
    let making = await #expect(throws: KeepsakeError.self) {
      try await Store.makeHub(at: .postgres(address))
    }
    #expect(making?.remedy == .upgradeHub)
    let role = "user_\(database)"
    try await server.sql(
      database,
      ["CREATE ROLE \(role) LOGIN"]
        + PostgresSchema.grants(to: role).filter { grant in
          !["listing", "term", "note"].contains { grant.contains("keepsake.\($0) ") }
        })
    let denied = await #expect(throws: KeepsakeError.self) {
      try await Store.upgradeHub(at: .postgres(server.address(database, user: role)))
    }
    #expect(denied?.code == .permissionDenied)
    #expect(denied?.message.contains("Have the owner of its tables do it.") == true)
    #expect(try await Store.upgradeHub(at: .postgres(address)))
    #expect(try await !Store.upgradeHub(at: .postgres(address)))
    #expect(try await Store.checkHub(at: .postgres(address)).findings == [])
    let found = try await workers.stores[1].sessions(.init(sessionTag: "due"))
    #expect(found.sessions.map(\.id) == [session.id])
    try await session.append(.prompt("another ship"))
    // After an upgrade to format 3, a program that still runs with format 2 can't commit.
    try await server.sql(database, ["UPDATE keepsake.hub SET format = 3"])
    let late = try await open.commit([
      HubOffer(session: UUID(), base: nil, stamp: UUID(), bytes: [1])
    ])
    #expect(late.first?.failure?.code == .newerStore)
    let error = await #expect(throws: KeepsakeError.self) {
      try await session.append(.prompt("one more ship"))
    }
    #expect(error?.code == .newerStore, "\(error.debugDescription)")
    try await server.sql(database, ["UPDATE keepsake.hub SET format = 2"])
    #expect(try await workers.stores[1].session(session.id).count() == 2)
    await open.close()
    try await workers.end()
  }

  @Test func `and take over no more than they show`() async throws {
    let server = try #require(PostgresServer.shared)
    let address = server.address(try await server.database())
    let workers = try await Workers(2, address)
    let (writer, reader) = (workers.stores[0], workers.stores[1])
    var sessions: [Session] = []
    for number in 0..<30 {
      let session = try await writer.createSession(
        title: "Ship \(number)", created: Date(timeIntervalSince1970: Double(number) * 60),
        tags: number % 10 == 0 ? ["due"] : [])
      sessions.append(session)
    }
    func here() throws -> Int { try reader.handle.read { try $0.hubSessions.versions().count } }
    let page = try await reader.sessions(limit: 4)
    #expect(page.sessions.map(\.title) == ["Ship 29", "Ship 28", "Ship 27", "Ship 26"])
    #expect(try here() == 4)
    let next = try #require(page.next)
    #expect(Session.Cursor(next.description) == next)
    // A cursor goes on in another store, too, which has seen nothing yet.
    let other = try await Store.temporary(joining: .postgres(address), as: .shared)
    #expect(
      try await other.sessions(limit: 2, after: next).sessions.map(\.title) == [
        "Ship 25", "Ship 24",
      ])
    try await other.removeTemporary()
    #expect(try await reader.sessions(.init(sessionTag: "due")).sessions.count == 3)
    #expect(try here() == 7)
    try await sessions[10].tag([], removing: ["due"])
    #expect(try await reader.sessions(.init(sessionTag: "due")).sessions.count == 2)
    let prefix = String(sessions[5].id.uuidString.prefix(13))
    #expect(try await reader.session(matching: prefix).id == sessions[5].id)
    #expect(try here() == 8)
    // Deleting takes over the session and its forks, and no other one.
    let fork = try await branch(of: sessions[6])
    try await reader.deleteSession(sessions[6].id)
    #expect(try here() == 10)
    let entries = try await writer.session(fork).entries.all()
    #expect(entries.map(\.text) == ["a banana", "an apple"])
    let titles = try await reader.sessions(limit: .max).sessions.compactMap(\.title)
    #expect(!titles.contains("Ship 6") && titles.contains("A fork"))
    try await workers.end()
  }

  /// The lists of a hub may say too much. They do here, because the test writes into them.
  @Test func `and find a tag at another session where the first one does not tell it`() async throws
  {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    let address = server.address(database)
    let workers = try await Workers(3, address)
    let writer = workers.stores[0]
    let ids = (1...6).map { UUID(uuidString: "00000000-0000-4000-8000-00000000000\($0)") ?? UUID() }
    for id in ids.prefix(3) { _ = try await writer.createSession(id: id) }
    for id in ids.suffix(3) { _ = try await writer.createSession(id: id, tags: ["due"]) }
    let fork = try await branch(of: writer.session(ids[0]))
    func list(_ tag: String, of sessions: [UUID]) async throws {
      let hash = HubTerm(.sessionTag, tag).hash.map { String(Int($0) + 256, radix: 16).dropFirst() }
      for session in sessions {
        try await server.sql(
          database,
          [
            "INSERT INTO keepsake.term VALUES (1, 0, '\\x\(hash.joined())', '\(session)')"
          ])
      }
    }
    #expect(try await Store.checkHub(at: .postgres(address)).unlisted == [])
    // Two of the three sessions before the ones with the tag are said to have it, and no session has the other tag.
    try await list("due", of: [ids[0], ids[1]])
    try await list("ghost", of: [ids[1], ids[2], fork])
    let reader = workers.stores[1]
    let tags = try await reader.sessionTags()
    #expect(tags.map(\.tag) == ["due"] && tags.map(\.sessions) == [5])
    let wrong = Array(ids.prefix(3)) + [fork]
    #expect(try await Store.checkHub(at: .postgres(address)).unlisted == wrong)
    let mended = try await Store.checkHub(at: .postgres(address), mendingLists: true)
    #expect(Set(mended.unlisted) == Set(wrong))
    #expect(try await Store.checkHub(at: .postgres(address)).unlisted == [])
    #expect(try await reader.sessionTags().map(\.sessions) == [3])
    func here(_ store: Store) throws -> Set<UUID> {
      try store.handle.read { Set(try $0.hubSessions.versions().keys) }
    }
    #expect(try here(reader) == Set(ids.prefix(4) + [fork]))
    // A damaged session is left aside, as a page of the list leaves it aside, and the next one tells the tag.
    try await server.sql(
      database, ["UPDATE keepsake.log SET bytes = '\\x00' WHERE session = '\(ids[3])'"])
    let late = workers.stores[2]
    #expect(try await late.sessionTags().map(\.tag) == ["due"])
    #expect(try here(late) == [ids[3], ids[4]])
    #expect(try late.handle.read { try $0.hubSessions.faulty().map(\.id) } == [ids[3]])
    let shown = Set(try await late.sessions().sessions.map(\.id))
    #expect(shown == Set(ids + [fork]).subtracting([ids[3]]))
    try await workers.end()
  }

  @Test func `and know nothing of the tags of another space`() async throws {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    for (space, count) in [("a", 2), ("b", 1)] {
      let workers = try await Workers(2, server.address(database, space: space))
      for _ in 0..<count {
        _ = try await workers.stores[0].createSession(tags: ["due", "in \(space)"])
      }
      let tags = try await workers.stores[1].sessionTags()
      #expect(tags.map(\.tag) == ["due", "in \(space)"])
      #expect(tags.map(\.sessions) == [count, count])
      try await workers.end()
    }
  }

  @Test func `that an erasing concerns`() async throws {
    let server = try #require(PostgresServer.shared)
    let address = server.address(try await server.database())
    let workers = try await Workers(2, address)
    let session = try await workers.stores[0].createSession()
    let fork = try await branch(of: session)
    let later = try await branch(of: workers.stores[0].session(fork))
    _ = try await workers.stores[0].createSession(title: "Another one")
    // The entry is the first session's own. The two forks show it, and lose it.
    try await workers.stores[1].session(later).erase(0)
    for id in [session.id, fork, later] {
      #expect(try await workers.stores[0].session(id).entries.all()[0].isErased)
    }
    #expect(try workers.stores[1].handle.read { try $0.hubSessions.versions().count } == 3)
    // A fork is found by the entries that it shares, also after the session between it and their owner was deleted and the whole fork
    // was offered anew.
    try await session.append(.prompt("a plum"), attaching: [.init(.bytes([1, 2, 3]))])
    let second = try await session.fork(before: 2)
    let third = try await second.fork(before: 2)
    try await third.append(.prompt("a pear"))
    try await workers.stores[0].deleteSession(second.id)
    try await third.erase(2)
    let late = try await Store.temporary(joining: .postgres(address), as: .shared)
    try await late.session(session.id).erase(1)
    #expect(try await workers.stores[1].session(third.id).entries.all()[1].isErased)
    try await late.removeTemporary()
    try await workers.end()
  }

  /// Appends to a session, and forks it.
  private func branch(of session: Session) async throws -> UUID {
    try await session.append(.prompt("a banana"))
    let fork = try await session.fork(before: 1, title: "A fork")
    try await fork.append(.response("an apple"))
    return fork.id
  }
}

// MARK: - What is written, and what is asked for

extension `Stores that share a database list its sessions` {
  private func artifact(_ number: Int) -> (bytes: [UInt8], id: Artifact.ID) {
    let bytes = [UInt8](repeating: UInt8(number), count: 1000 + number)
    return (bytes, Artifact.ID(SHA256.digest(of: bytes)))
  }

  private func act(
    _ step: Int, on store: Store, _ ids: inout [UUID], _ random: inout SeededGenerator
  ) async throws {
    let time = Date(timeIntervalSince1970: 1_800_000_000 + Double(step * 7))
    guard let id = ids.randomElement(using: &random), Int.random(in: 0..<8, using: &random) > 0
    else {
      let session = try await store.createSession(
        title: "Session \(step)", origin: step % 2 == 0 ? "app" : nil, created: time)
      ids.append(session.id)
      return
    }
    let session = try await store.session(id)
    let count = try await session.count()
    switch Int.random(in: 0..<9, using: &random) {
    case 0...1:
      var entry = Entry.response("said \(step)")
      entry.created = time
      entry.model = step % 3 == 0 ? "large" : "small"
      if step % 4 == 0 { entry.tags = ["fruit"] }
      try await session.append(entry)
    case 2:
      let call = Entry.ToolCall(tool: tools[step % tools.count])
      var output = Entry.toolOutput(for: call, text: "done \(step)")
      output.created = time
      try await session.append(.toolCalls([call]))
      try await session.append(
        output, attaching: [.init(.bytes(artifact(Int.random(in: 0..<3, using: &random)).bytes))])
    case 3: try await session.tag([tags[step % tags.count]])
    case 4: try await session.tag([], removing: [tags[step % tags.count]])
    case 5 where count > 0 && ids.count < 14:
      ids.append(try await session.fork(before: Int.random(in: 1...count, using: &random)).id)
    case 6 where count > 0: try await session.erase(Int.random(in: 0..<count, using: &random))
    case 7 where ids.count > 6 && step % 3 == 0:
      try await store.deleteSession(id)
      ids.removeAll { $0 == id }
    default:
      var entry = Entry.prompt("asked \(step)")
      entry.created = time
      try await session.append(entry)
    }
  }

  private var filters: [Session.Filter] {
    let middle = Date(timeIntervalSince1970: 1_800_000_400)
    return [
      .init(), .init(since: middle), .init(until: middle), .init(model: "large"),
      .init(tool: "paint"), .init(tool: "look", tag: "fruit"), .init(tag: "fruit"),
      .init(sessionTag: "ship"), .init(origin: "app"), .init(has: "text"), .init(has: "image"),
      .init(tag: "due", origin: "app", text: "session"), .init(tag: "nothing"),
    ]
  }

  private func pages(of limit: Int, _ filter: Session.Filter, of store: Store) async throws
    -> [Session.Summary]
  {
    var found: [Session.Summary] = []
    var cursor: Session.Cursor?
    repeat {
      let page = try await store.sessions(filter, limit: limit, after: cursor)
      found += page.sessions
      cursor = page.next
    } while cursor != nil
    return found
  }

  /// Expects that a store that shares lists what a mirror lists.
  private func sameLists(_ mirror: Store, _ sharer: Store) async throws {
    // The tags come first, while a store that has nothing yet has to take over sessions for them.
    let expected = try await mirror.sessionTags()
    let tags = try await sharer.sessionTags()
    #expect(tags.map(\.tag) == expected.map(\.tag))
    #expect(tags.map(\.sessions) == expected.map(\.sessions))
    for filter in filters {
      let expected = try await mirror.sessions(filter, limit: .max).sessions
      let found = try await pages(of: 3, filter, of: sharer)
      #expect(found.map(\.updated) == expected.map(\.updated), "\(filter)")
      #expect(Set(found.map(\.id)) == Set(expected.map(\.id)), "\(filter)")
      for summary in found {
        let other = try #require(expected.first { $0.id == summary.id })
        #expect(summary.tags == other.tags && summary.name == other.name)
        #expect(summary.entries == other.entries && summary.model == other.model)
      }
    }
  }

  private func sameTrail(of id: Artifact.ID, _ one: Store, _ other: Store) async throws {
    func places(_ store: Store) async throws -> Set<String> {
      let trail = try await store.audit(id)
      return Set(
        trail.attachments.map {
          "\($0.session) \(String(describing: $0.position)) \(String(describing: $0.tool))"
        })
    }
    #expect(try await places(one) == places(other))
    #expect(try await one.madeInto(id).count == other.madeInto(id).count)
  }
}

extension Store {
  /// Opens a store in a temporary folder together with a hub.
  fileprivate static func temporary(
    joining address: HubAddress, as way: HubMembership.Way
  ) async throws -> Store {
    try await Store(
      at: FileManager.default.temporaryDirectory
        .appending(path: "\(UUID().uuidString.lowercased()).keepsake"),
      joining: address, as: way, options: .init(patience: .seconds(60)))
  }
}
