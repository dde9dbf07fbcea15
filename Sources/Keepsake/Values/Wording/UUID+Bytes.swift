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
    guard let id = text.withUTF8Bytes({ UUID(text: $0) }) else { return nil }
    self = id
  }

  /// Reads an id from a text of 36 characters.
  init?(text: RawSpan) {
    guard text.byteCount == 36 else { return nil }
    for place in [8, 13, 18, 23]
    where text.unsafeLoad(fromByteOffset: place, as: UInt8.self) != UInt8(ascii: "-") {
      return nil
    }
    guard let a = HexDigits.number(in: text, at: 0),
      let b = HexDigits.number(in: text, at: 9, and: 14),
      let c = HexDigits.number(in: text, at: 19, and: 24),
      let d = HexDigits.number(in: text, at: 28)
    else { return nil }
    func byte(_ word: UInt32, _ index: UInt32) -> UInt8 {
      UInt8(truncatingIfNeeded: word >> (24 - 8 * index))
    }
    self.init(
      uuid: (
        byte(a, 0), byte(a, 1), byte(a, 2), byte(a, 3), byte(b, 0), byte(b, 1), byte(b, 2),
        byte(b, 3), byte(c, 0), byte(c, 1), byte(c, 2), byte(c, 3), byte(d, 0), byte(d, 1),
        byte(d, 2), byte(d, 3)
      ))
  }

  /// Reads an id of 16 bytes in the memory of SQLite or libpq; nil for another length.
  package init?(bytes span: RawSpan) {
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
