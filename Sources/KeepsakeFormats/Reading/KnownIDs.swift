#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// A set of ids. Only 64 bits of each id's digest are kept, which two different ids share once in 2⁶⁴ pairs.
struct KnownIDs: Sendable {
  private var ids: Set<UInt64> = []

  /// Notes an id.
  /// - Returns: Whether the id is new.
  mutating func insert(_ id: String) -> Bool { ids.insert(Self.part(of: id)).inserted }

  func contains(_ id: String) -> Bool { ids.contains(Self.part(of: id)) }

  private static func part(of id: String) -> UInt64 {
    SHA256.digest(of: Array(id.utf8)).longPrefix
  }
}

extension KnownIDs: Codable {
  init(from decoder: any Decoder) throws {
    let bytes = Array(try decoder.singleValueContainer().decode(Data.self))
    ids = Set(
      stride(from: 0, to: bytes.count, by: 8).map { start in
        bytes[start..<min(start + 8, bytes.count)].reduce(0) { $0 << 8 | UInt64($1) }
      })
  }

  func encode(to encoder: any Encoder) throws {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8 * ids.count)
    for id in ids.sorted() {
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: id >> UInt64(shift)))
      }
    }
    var container = encoder.singleValueContainer()
    try container.encode(Data(bytes))
  }
}
