#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// The digest that each row carries of what it says, so that no altered or exchanged row is taken for another.
///
/// The server computes it, because it alone knows the number that a version gets, and whoever reads the row computes it again.
/// It covers the space too, so that a row of another space, or of another database, is none of this one.
struct PostgresSeal {
  /// The id of the space.
  let space: UUID

  /// The SQL of a seal, which must match ``head(_:_:_:_:)`` and ``version(_:_:_:_:_:)``.
  /// - Parameters:
  ///   - space: The id of the space.
  ///   - row: The name before each column.
  ///   - digest: The digest of a version's bytes; nil for a head.
  static func sql(
    space: String, session: String, version: String, stamp: String, base: String,
    digest: String? = nil
  ) -> String {
    var parts = [
      "uuid_send(\(space))", "uuid_send(\(session))", "int8send(\(version))", "uuid_send(\(stamp))",
      "coalesce(uuid_send(\(base)), ''::bytea)",
    ]
    if let digest { parts.append(digest) }
    return "sha256(" + parts.joined(separator: " || ") + ")"
  }

  /// The seal of a session's newest version.
  func head(_ session: UUID, _ version: Int64, _ stamp: UUID, _ base: UUID?) -> SHA256Digest {
    SHA256.digest(of: start(session, version, stamp, base))
  }

  /// The seal of a version.
  func version(
    _ session: UUID, _ version: Int64, _ stamp: UUID, _ base: UUID?, digest: SHA256Digest
  ) -> SHA256Digest {
    var bytes = start(session, version, stamp, base)
    digest.withBytes { bytes.append(copying: $0) }
    return SHA256.digest(of: bytes)
  }

  private func start(
    _ session: UUID, _ version: Int64, _ stamp: UUID, _ base: UUID?
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(128)
    bytes += space.octets
    bytes += session.octets
    bytes.append(bigEndian: version)
    bytes += stamp.octets
    if let base { bytes += base.octets }
    return bytes
  }
}
