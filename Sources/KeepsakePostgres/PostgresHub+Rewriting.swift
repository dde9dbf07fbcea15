#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import Keepsake
import KeepsakeFiles

extension PostgresHub {
  package func rewrite(
    _ version: Int64, of session: UUID, stamp: UUID, as bytes: [UInt8]
  ) async throws -> Bool {
    try Task.checkCancellation()
    return try await threads.run(inTurn: session) { [self] in
      let rows = try ask(
        Self.rewriting,
        [
          .number(space), .id(identity.id), .id(session), .number(version), .id(stamp),
          .bytes(SHA256.digest(of: bytes).bytes), .bytes(bytes),
        ])
      return !rows.isEmpty
    }
  }

  private static let rewriting = PostgresStatement(
    """
    UPDATE keepsake.log l SET digest = $6::bytea, bytes = $7::bytea, seal =
      \(PostgresSeal.sql(
        space: "$2::uuid", session: "l.session", version: "l.version", stamp: "l.stamp", base: "l.base",
        digest: "$6::bytea"))
    WHERE space = $1::integer AND session = $3::uuid AND version = $4::bigint AND stamp = $5::uuid
    RETURNING version
    """, isWriting: true)
}
