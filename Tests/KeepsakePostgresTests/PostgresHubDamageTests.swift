import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import KeepsakePostgres

/// Rows of a hub that others flip, exchange, replay and remove.
@Suite(.enabled(if: PostgresServer.isHere, PostgresServer.obstacle))
struct `A hub in PostgreSQL whose rows were altered` {
  @Test(arguments: 0..<3) func `gives no wrong byte, and goes on with the other sessions`(
    _ part: Int
  ) async throws {
    let known = try await KnownRows(try #require(PostgresServer.shared))
    for number in 0..<34 {
      let seed = UInt64(part * 1000 + number)
      var random = SeededGenerator(seed: seed)
      let damage = known.damage(using: &random)
      try await known.server.sql(known.database, damage.statements)
      try await known.check(damage, Comment(rawValue: "seed \(seed): \(damage)"))
      try await known.restore()
    }
  }

  @Test func `an artifact that was altered is put again`() async throws {
    let server = try #require(PostgresServer.shared)
    let database = try await server.database()
    let hub = try await PostgresHub.open(at: server.address(database), making: true)
    for bytes in [Array("an artifact".utf8), [UInt8](repeating: 3, count: 2_500_000)] {
      let id = try await hub.put(bytes)
      let table = bytes.count > 100 ? "artifact_part" : "artifact"
      for wrong in [
        "set_byte(bytes, 3, get_byte(bytes, 3) # 1)", "substr(bytes, 2)", "bytes || '\\x00'::bytea",
        "''::bytea",
      ] {
        try await server.sql(
          database,
          ["UPDATE keepsake.\(table) SET bytes = \(wrong) WHERE bytes IS NOT NULL"])
        let error = await #expect(throws: KeepsakeError.self) { try await hub.bytes(id) }
        #expect(error?.code == .artifactDamaged)
        _ = try await hub.put(bytes)
        #expect(try await hub.bytes(id) == bytes)
      }
    }
    // Nothing is left of what was replaced.
    let parts = try await server.sql(
      database, ["SELECT count(*) FROM keepsake.artifact_part"])[0].number(0)
    #expect(parts == 3)
    await hub.close()
  }
}

/// What a hub has before anything is altered.
private struct KnownRows: Sendable {
  let server: PostgresServer
  let database: String
  let id: UUID
  private(set) var logs: [UUID: [HubVersion]] = [:]
  private(set) var artifacts: [Artifact.ID: [UInt8]] = [:]
  private static let tables = ["hub", "space", "head", "log", "artifact", "artifact_part"]

  init(_ server: PostgresServer) async throws {
    self.server = server
    database = try await server.database()
    // Nothing of this has to last.
    try await server.sql("postgres", ["ALTER DATABASE \(database) SET synchronous_commit = off"])
    let hub = try await PostgresHub.open(at: server.address(database), making: true)
    id = hub.identity.id
    for bytes: [UInt8] in [
      [1], Array(repeating: 2, count: 5000),
      Array(repeating: 3, count: 2_500_000),
    ] { artifacts[try await hub.put(bytes)] = bytes }
    for count in [6, 3, 1] {
      let session = UUID()
      for _ in 0..<count { _ = try await hub.push(session) }
      logs[session] = try await hub.soundLog(session)
    }
    await hub.close()
    try await server.sql(
      database,
      ["CREATE SCHEMA kept"] + Self.tables.map { "CREATE TABLE kept.\($0) AS TABLE keepsake.\($0)" }
    )
  }

  /// Puts all rows back as they were.
  func restore() async throws {
    try await server.sql(
      database,
      Self.tables.map { "DELETE FROM keepsake.\($0)" }
        + Self.tables.map { "INSERT INTO keepsake.\($0) TABLE kept.\($0)" })
  }

  /// Looks at a hub in which something was altered.
  func check(_ damage: RowDamage, _ comment: Comment) async throws {
    let hub: PostgresHub
    do {
      hub = try await PostgresHub.open(at: server.address(database), expecting: id)
    } catch let error as KeepsakeError {
      #expect(damage.isHub, comment)
      #expect(error.cause is HubFault, comment)
      return
    }
    #expect(!damage.isHub, comment)
    let directory = try await hub.directory()
    let some = try await hub.directory(of: Array(logs.keys))
    #expect(some.failures.keys == directory.failures.keys, comment)
    #expect(some.heads == directory.heads, comment)
    for (session, log) in logs {
      let isTouched = damage.sessions.contains(session)
      let (read, failure) = await self.read(session, in: hub)
      #expect(read == Array(log.prefix(read.count)), comment)
      // Whoever reads all of a session is always told that something is wrong with it.
      #expect((failure != nil) == isTouched, comment)
      #expect(isTouched || read.count == log.count, comment)
      if let failure {
        #expect(failure.cause as? HubFault == .damaged(session: session), comment)
      }
      // A reader gets the versions before an altered one, and not one more.
      if let first = damage.versions[session] { #expect(read.count == first - 1, comment) }
      if let head = directory.heads.first(where: { $0.session == session }) {
        #expect(log[Int(head.version) - 1].stamp == head.stamp, comment)
        #expect(isTouched || head.version == log.count, comment)
      } else {
        #expect(isTouched, comment)
      }
      try await offer(to: hub, session, log, isTouched, comment)
    }
    for (artifact, bytes) in artifacts {
      do { #expect(try await hub.bytes(artifact) == bytes, comment) } catch let error
        as KeepsakeError
      {
        #expect(damage.isArtifact, comment)
        #expect([.artifactDamaged, .artifactMissing].contains(error.code), comment)
      }
    }
    await hub.close()
  }

  private func offer(
    to hub: PostgresHub, _ session: UUID, _ log: [HubVersion], _ isTouched: Bool, _ comment: Comment
  ) async throws {
    // The hub finds an offer that it took long ago, or fails because nobody knows.
    for version in log {
      let offer = HubOffer(
        session: session, base: version.base, stamp: version.stamp, bytes: version.bytes)
      let answer = try await hub.commit(offer)
      if let number = answer.version {
        #expect(number == version.version, comment)
      } else {
        #expect(isTouched, comment)
      }
    }
    // A head that somebody put back to an older version never has two versions of one number.
    if isTouched {
      for version in log.dropLast() {
        let answers = try await hub.commit([
          HubOffer(session, on: version.stamp), HubOffer(UUID(), on: nil),
        ])
        #expect(answers[0].version == nil, comment)
        #expect(answers[1].version == 1, comment)
      }
    }
    // Others of a call are not touched by a session that fails.
    let answers = try await hub.commit([
      HubOffer(session, on: log.last?.stamp), HubOffer(UUID(), on: nil),
    ])
    if !isTouched { #expect(answers[0].version == Int64(log.count + 1), comment) }
    #expect(answers[1].version == 1, comment)
  }

  private func read(_ session: UUID, in hub: PostgresHub) async -> ([HubVersion], KeepsakeError?) {
    var all: [HubVersion] = []
    while true {
      do {
        let part = try await hub.versions(
          of: session, after: all.last?.version ?? 0, bytes: 4000)
        all += part.versions
        guard part.hasMore else { return (all, nil) }
      } catch { return (all, error as? KeepsakeError) }
    }
  }
}

/// An alteration that somebody makes to the rows of a hub.
private struct RowDamage: CustomStringConvertible {
  var statements: [String] = []
  var sessions: Set<UUID> = []
  /// The first version of a session that is altered.
  var versions: [UUID: Int64] = [:]
  var isArtifact = false
  var isHub = false

  var description: String { statements.joined(separator: "; ") }
}

extension KnownRows {
  /// An alteration, as a seed says.
  func damage(using random: inout SeededGenerator) -> RowDamage {
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<11: version(using: &random)
    case 11..<16: head(using: &random)
    case 16..<19: artifact(using: &random)
    default: hub(using: &random)
    }
  }

  private var sessions: [UUID] { logs.keys.sorted { "\($0)" < "\($1)" } }

  private func flip(_ column: String, using random: inout SeededGenerator) -> String {
    let bit = 1 << Int.random(in: 0..<8, using: &random)
    return "\(column) = set_byte(\(column), 0, get_byte(\(column), 0) # \(bit))"
  }

  private func place(using random: inout SeededGenerator) -> (UUID, Int64) {
    let all = sessions.flatMap { session in (logs[session] ?? []).map { (session, $0.version) } }
    return all[Int.random(in: 0..<all.count, using: &random)]
  }

  private func version(using random: inout SeededGenerator) -> RowDamage {
    let (session, version) = place(using: &random)
    let (other, number) = place(using: &random)
    let row = "session = '\(session)' AND version = \(version)"
    var damage = RowDamage(sessions: [session], versions: [session: version])
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1:
      let column = ["digest", "seal"].randomElement(using: &random) ?? "seal"
      damage.statements = ["UPDATE keepsake.log SET \(flip(column, using: &random)) WHERE \(row)"]
    case 2:
      damage.statements = ["UPDATE keepsake.log SET bytes = bytes || '\\x00'::bytea WHERE \(row)"]
    case 3:
      // A version may have no bytes at all, which then can't be flipped.
      damage.statements = [
        "UPDATE keepsake.log SET bytes = '\\x01'::bytea || substr(bytes, 2) || '\\x02'::bytea WHERE \(row)"
      ]
    case 4:
      damage.statements = ["UPDATE keepsake.log SET stamp = '\(UUID())' WHERE \(row)"]
    case 5:
      damage.statements = ["UPDATE keepsake.log SET base = '\(UUID())' WHERE \(row)"]
    case 6: damage.statements = ["DELETE FROM keepsake.log WHERE \(row)"]
    case 7:
      damage.statements = ["UPDATE keepsake.log SET version = version + 100 WHERE \(row)"]
      // A version behind the newest one says at once that something is wrong.
      damage.versions = [:]
    case 8:
      guard (session, version) != (other, number) else { return self.version(using: &random) }
      damage.sessions.insert(other)
      damage.versions[other] = min(number, damage.versions[other] ?? number)
      damage.statements = [
        """
        UPDATE keepsake.log a SET stamp = b.stamp, base = b.base, digest = b.digest, seal = b.seal, bytes = b.bytes
        FROM kept.log b WHERE (a.session, a.version, b.session, b.version) IN (
          ('\(session)'::uuid, \(version), '\(other)'::uuid, \(number)), ('\(other)'::uuid, \(number), '\(session)'::uuid, \(version)))
        """
      ]
    default:
      guard (session, version) != (other, number) else { return self.version(using: &random) }
      damage.statements = [
        """
        UPDATE keepsake.log a SET stamp = b.stamp, base = b.base, digest = b.digest, seal = b.seal, bytes = b.bytes
        FROM kept.log b WHERE a.session = '\(session)' AND a.version = \(version)
          AND b.session = '\(other)' AND b.version = \(number)
        """
      ]
    }
    return damage
  }

  private func head(using random: inout SeededGenerator) -> RowDamage {
    let session = sessions[Int.random(in: 0..<3, using: &random)]
    let row = "session = '\(session)'"
    var damage = RowDamage(sessions: [session])
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      damage.statements = ["UPDATE keepsake.head SET \(flip("seal", using: &random)) WHERE \(row)"]
    case 1: damage.statements = ["UPDATE keepsake.head SET stamp = '\(UUID())' WHERE \(row)"]
    case 2: damage.statements = ["UPDATE keepsake.head SET version = version + 1 WHERE \(row)"]
    case 3: damage.statements = ["DELETE FROM keepsake.head WHERE \(row)"]
    case 4:
      // An older state of the row, with a seal that fits.
      guard let log = logs[session], log.count > 1 else { return head(using: &random) }
      let old = log[Int.random(in: 0..<(log.count - 1), using: &random)]
      let seal = PostgresSeal(space: id).head(session, old.version, old.stamp, old.base)
      damage.statements = [
        """
        UPDATE keepsake.head SET version = \(old.version), stamp = '\(old.stamp)', seal = '\\x\(seal.hex)',
          base = \(old.base.map { "'\($0)'" } ?? "NULL") WHERE \(row)
        """
      ]
    default:
      let other = sessions.filter { $0 != session }[Int.random(in: 0..<2, using: &random)]
      damage.sessions.insert(other)
      damage.statements = [
        """
        UPDATE keepsake.head a SET version = b.version, stamp = b.stamp, base = b.base, seal = b.seal
        FROM kept.head b WHERE (a.session, b.session) IN (
          ('\(session)'::uuid, '\(other)'::uuid), ('\(other)'::uuid, '\(session)'::uuid))
        """
      ]
    }
    return damage
  }

  private func artifact(using random: inout SeededGenerator) -> RowDamage {
    let all = [
      "UPDATE keepsake.artifact SET \(flip("bytes", using: &random)) WHERE bytes IS NOT NULL",
      "UPDATE keepsake.artifact SET \(flip("digest", using: &random))",
      "UPDATE keepsake.artifact SET key = gen_random_uuid() WHERE key IS NOT NULL",
      "UPDATE keepsake.artifact a SET bytes = b.bytes FROM kept.artifact b WHERE a.size <> b.size AND a.bytes IS NOT NULL AND b.bytes IS NOT NULL",
      "DELETE FROM keepsake.artifact",
      "UPDATE keepsake.artifact_part SET \(flip("bytes", using: &random)) WHERE number = 1",
      "UPDATE keepsake.artifact_part SET number = number + 1 WHERE number = 2",
      "DELETE FROM keepsake.artifact_part WHERE number = 0",
      "DELETE FROM keepsake.artifact_part WHERE number = 2",
    ]
    return RowDamage(
      statements: [all[Int.random(in: 0..<all.count, using: &random)]], isArtifact: true)
  }

  private func hub(using random: inout SeededGenerator) -> RowDamage {
    let all = [
      "UPDATE keepsake.hub SET format = 0", "UPDATE keepsake.hub SET format = 2",
      "DELETE FROM keepsake.hub", "DELETE FROM keepsake.space",
      "UPDATE keepsake.space SET id = gen_random_uuid()",
      "UPDATE keepsake.space SET name = 'other'",
    ]
    return RowDamage(statements: [all[Int.random(in: 0..<all.count, using: &random)]], isHub: true)
  }
}
