#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import KeepsakeFiles

extension UUID {
  /// The first id in the order of their bytes.
  package static let first = UUID(
    uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  /// The last id in the order of their bytes.
  package static let last = UUID(
    uuid: (
      255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255
    ))

  var bytes: [UInt8] {
    let u = uuid
    return [
      u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7, u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15,
    ]
  }

  /// The id as it is spelled everywhere: 36 characters, in small letters.
  ///
  /// On Linux `uuidString` is made by a C format, which took a thirtieth of an append to a store that shares sessions.
  package var text: String {
    var text: [UInt8] = []
    text.reserveCapacity(36)
    append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the id to a text in UTF-8: 36 characters, in small letters.
  func append(to text: inout [UInt8]) {
    for (index, byte) in bytes.enumerated() {
      if index == 4 || index == 6 || index == 8 || index == 10 { text.append(UInt8(ascii: "-")) }
      text.append(hex: byte)
    }
  }

  /// Reads an id of 36 characters, as people write it.
  ///
  /// Files have an id for each entry, and `init(uuidString:)` scans with a C format, which took 4 % of an import.
  package init?(text: String) {
    guard text.utf8.count == 36 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    var characters = text.utf8.makeIterator()
    func nextDigit() -> UInt32? { characters.next().flatMap(JSONEscapes.digit) }
    // The bytes stand in five groups, each of which ends with this many.
    for end in [4, 6, 8, 10, 16] {
      if end > 4, characters.next() != UInt8(ascii: "-") { return nil }
      while bytes.count < end {
        guard let high = nextDigit(), let low = nextDigit() else { return nil }
        bytes.append(UInt8(high << 4 | low))
      }
    }
    self.init(bytes: bytes)
  }

  /// Reads an id of 16 bytes in SQLite's memory; nil for another length.
  init?(bytes span: RawSpan) {
    guard span.byteCount == 16 else { return nil }
    self.init(uuid: span.unsafeLoadUnaligned(as: uuid_t.self))
  }

  init?(bytes b: [UInt8]) {
    guard b.count == 16 else { return nil }
    self.init(
      uuid: (
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
        b[14], b[15]
      ))
  }
}
