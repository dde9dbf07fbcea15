#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// An entry that is ready to be written: encoded, salted and hashed outside the writer's thread.
struct PreparedEntry: Sendable {
  let entry: Entry
  let body: [UInt8]
  let salt: Salt
  let bodyDigest: SHA256Digest
  let created: Int64

  /// The size in bytes of the largest body, well below SQLite's own limits.
  static let maximumBody = 16 << 20

  init(_ entry: Entry, salt: Salt = Salt()) throws {
    let body = EntryBody.encode(entry)
    guard body.count <= Self.maximumBody else {
      throw KeepsakeError(
        .tooLarge,
        """
        Can't store an entry of \(body.count) bytes; \(Self.maximumBody) is the limit. \
        Attach large content as an artifact instead.
        """)
    }
    self.body = body
    self.salt = salt
    self.bodyDigest = Self.digest(of: body, salt: salt)
    self.created = EntryTime.stored(entry.created)
    self.entry = entry
  }

  static func digest(of body: [UInt8], salt: Salt) -> SHA256Digest {
    var hash = SHA256()
    salt.withBytes { hash.update($0) }
    hash.update(body)
    return hash.finalize()
  }
}
