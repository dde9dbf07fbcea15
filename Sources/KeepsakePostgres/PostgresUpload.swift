#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFiles

/// The bytes of an artifact on their way to the hub.
///
/// Few bytes are kept until all are there, and go in one statement, which is sent again when its answer is lost. More go in
/// parts, in a transaction, while they come; of that nothing is seen before its end, and nothing stays when it fails.
struct PostgresUpload: ~Copyable {
  /// The most bytes that stand in the artifact's own row.
  static let inRow = 64 << 10
  /// The size of each part but the last.
  static let part = 1 << 20

  private let artifact: Artifact.ID
  private let hub: PostgresHub
  private let key = UUID()
  private var hash = SHA256()
  private var size: Int64 = 0
  /// The bytes that were not sent yet.
  private var waiting: [UInt8] = []
  private var connection: PostgresConnection?
  private var parts: Int32 = 0
  private var digests: [UInt8] = []

  init(_ artifact: Artifact.ID, hub: PostgresHub) {
    self.artifact = artifact
    self.hub = hub
  }

  /// Takes more bytes.
  mutating func take(_ bytes: [UInt8]) throws {
    hash.update(bytes)
    size += Int64(bytes.count)
    guard size <= PostgresHub.largestArtifact else {
      throw KeepsakeError(
        .tooLarge,
        "Can't put \(artifact) at a hub in PostgreSQL: \(PostgresHub.largestArtifact) bytes are the most.",
        object: artifact.description)
    }
    waiting += bytes
    var sent = 0
    while waiting.count - sent > Self.part {
      try send(Array(waiting[sent..<(sent + Self.part)]))
      sent += Self.part
    }
    if sent > 0 { waiting.removeFirst(sent) }
  }

  /// Has the hub show the artifact, when all bytes were taken.
  mutating func finish() throws {
    guard hash.finalize() == artifact.digest else {
      throw KeepsakeError(
        .artifactDamaged,
        "Can't put \(artifact) at the hub: the bytes are not the ones that its name promises. Verify the store.",
        object: artifact.description)
    }
    guard connection != nil else { return try sendWhole() }
    try send(waiting)
    try show()
  }

  /// Takes back what was sent.
  mutating func abandon() {
    guard let connection else { return }
    self.connection = nil
    let session = PostgresSession(connection: connection, isNamed: true)
    // Where this fails the connection is broken, and the server takes everything back by itself.
    if !connection.isBroken { try? session.run("ROLLBACK", within: hub.patience.statement) }
    hub.connections.give(connection)
  }
}

// MARK: - Sending

extension PostgresUpload {
  private static let insertRow = PostgresStatement(
    """
    INSERT INTO keepsake.artifact (space, digest, size, bytes)
    VALUES ($1::integer, $2::bytea, $3::bigint, $4::bytea) ON CONFLICT DO NOTHING RETURNING size
    """, isWriting: true)

  private static let insertWithPart = PostgresStatement(
    """
    WITH a AS (
      INSERT INTO keepsake.artifact (space, digest, size, key, seal)
      VALUES ($1::integer, $2::bytea, $3::bigint, $4::uuid, $5::bytea) ON CONFLICT DO NOTHING RETURNING space, key)
    INSERT INTO keepsake.artifact_part (space, key, number, bytes)
    SELECT space, key, 0, $6::bytea FROM a RETURNING number
    """, isWriting: true)

  private static let insertLast = PostgresStatement(
    """
    INSERT INTO keepsake.artifact (space, digest, size, key, seal)
    VALUES ($1::integer, $2::bytea, $3::bigint, $4::uuid, $5::bytea) ON CONFLICT DO NOTHING RETURNING size
    """)

  private static let insertPart = PostgresStatement(
    """
    INSERT INTO keepsake.artifact_part (space, key, number, bytes)
    VALUES ($1::integer, $2::uuid, $3::integer, $4::bytea)
    """)

  private var row: [PostgresValue] {
    [.number(hub.space), .bytes(artifact.digest.bytes), .number(size)]
  }

  private var seal: PostgresValue { .bytes(SHA256.digest(of: digests).bytes) }

  /// Sends an artifact of one statement, again where its answer is lost.
  private mutating func sendWhole() throws {
    var (statement, values) = (Self.insertRow, row + [.bytes(waiting)])
    if size > Self.inRow {
      digests = SHA256.digest(of: waiting).bytes
      (statement, values) = (Self.insertWithPart, row + [.id(key), seal, .bytes(waiting)])
    }
    var attempts = 0
    while try hub.ask(statement, values).isEmpty, try !hub.isThere(artifact) {
      // Others put it and removed it at the same time.
      attempts += 1
      guard attempts < 10 else { throw removed() }
    }
  }

  /// Sends a part in the transaction, which the first one begins.
  private mutating func send(_ bytes: [UInt8]) throws {
    let time = hub.patience.statement
    let values: [PostgresValue] = [
      .number(hub.space), .id(key), .number(parts), .bytes(bytes),
    ]
    if connection == nil {
      // Nothing is lost yet, so that a server that is away for a moment is waited for.
      connection = try hub.reaching { session in
        try session.run("BEGIN", within: time)
        return hub.connections.keep(session)
      }
    }
    _ = try inside { try $0.run(Self.insertPart, values, within: time) }
    parts += 1
    digests += SHA256.digest(of: bytes).bytes
  }

  /// Adds the artifact's row, and ends the transaction.
  private mutating func show() throws {
    let time = hub.patience.statement
    let values = row + [.id(key), seal]
    let isFirst = try inside { try !$0.run(Self.insertLast, values, within: time).isEmpty }
    if isFirst {
      do {
        try inside { try $0.run("COMMIT", expecting: "COMMIT", within: time) }
        if let connection { hub.connections.give(connection) }
        connection = nil
        return
      } catch let failure as PostgresFailure {
        guard failure.kind == .unknown else { throw failure }
        // The row tells whether the transaction came to its end.
      }
    }
    abandon()
    guard try hub.isThere(artifact) else { throw removed() }
  }

  private func inside<R>(_ body: (PostgresSession) throws -> R) throws -> R {
    guard let connection else { throw PostgresFailure.unreachable("the connection is gone") }
    return try body(PostgresSession(connection: connection, isNamed: hub.connections.isNamed))
  }

  private func removed() -> KeepsakeError {
    KeepsakeError(
      .inputOutput,
      "\(artifact) is not at the hub at '\(hub.address)': its connection ended, or others removed it, while it was put. Put it again.",
      object: artifact.description, cause: HubFault.unreachable)
  }
}
