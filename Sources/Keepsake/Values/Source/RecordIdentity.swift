import KeepsakeFiles

/// The parts of a foreign record that tell it from others, so that it is known again in a file that was written anew.
///
/// Records of JSON are compared as values, because encoders put members in any order, spaces where they like, and escape more
/// or less. Everything else in a record counts, unless its codec declares that the foreign
/// program writes it anew with every file.
package struct RecordIdentity: Sendable {
  /// The digest of JSON, which is kept, so that many records cost the allocations of one; nil for records that are no JSON.
  private var json: JSONDigest?

  /// Compares records that are no JSON by their bytes, without the white space around them.
  package static let bytes = RecordIdentity(json: nil)

  /// Compares records that are one JSON value each.
  ///
  /// - Parameter volatile: The members that are written anew with every file, and so do not count.
  package static func json(leavingOut volatile: [VolatileMember] = []) -> RecordIdentity {
    RecordIdentity(json: JSONDigest(leavingOut: VolatileMembers(volatile)))
  }

  /// Returns the digest of a record from its stretch of the file. Separators before it don't count.
  mutating func digest(ofRecordIn bytes: [UInt8]) -> SHA256Digest {
    if let found = json?.record(in: bytes.span.bytes) { return found }
    // A record that is no JSON was kept as it is, and is compared so.
    return SHA256.digest(of: bytes.span.bytes.extracting(Self.trimmed(bytes)))
  }

  private static func trimmed(_ bytes: [UInt8]) -> Range<Int> {
    var range = bytes.indices
    while let first = range.first, isSpace(bytes[first]) { range = (first + 1)..<range.upperBound }
    while let last = range.last, isSpace(bytes[last]) { range = range.lowerBound..<last }
    return range
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }
}
