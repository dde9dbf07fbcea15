import Files

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Entry {
  /// A new random identifier (version 4).
  ///
  /// `UUID()` on Linux opens `/dev/urandom` each time, which takes as long as writing the entry in a batch does.
  @usableFromInline
  static func newID() -> UUID {
    var bytes = [UInt8](random: 16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return UUID(bytes: bytes) ?? UUID()
  }
}
