import KeepsakeFiles

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Entry {
  /// Makes a new random id, which is a UUID of version 4.
  ///
  /// On Linux `UUID()` opens `/dev/urandom` each time, which takes as long as writing an entry in a batch. Even asking the
  /// system for 16 bytes takes as long as hashing the entry.
  @usableFromInline
  static func newID() -> UUID {
    let (high, low) = RandomPool.next()
    func byte(_ word: UInt64, _ place: UInt64) -> UInt8 {
      UInt8(truncatingIfNeeded: word >> (place * 8))
    }
    return UUID(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
        byte(high, 6) & 0x0F | 0x40, byte(high, 7), byte(low, 0) & 0x3F | 0x80, byte(low, 1),
        byte(low, 2), byte(low, 3), byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
      ))
  }
}
