import KeepsakeFiles
import Keepsake

/// The members of an object inside of a record, by where they stand; their values are read when they are asked for.
///
/// The record was checked before, so a value that can't be read is one of another kind.
struct JSONObject {
  let bytes: [UInt8]
  private(set) var members: [(key: String, value: Range<Int>)] = []
  /// Keys that came again; the first counts, as for Foundation's decoder.
  private(set) var repeated: [String] = []

  /// The object at a range; nil where something else stands there.
  init?(_ range: Range<Int>, in bytes: [UInt8]) {
    self.bytes = bytes
    var reader = JSONReader(valid: bytes.span.bytes.extracting(range))
    /// The keys as bytes; empty while there are few of them.
    var known: Set<[UInt8]> = []
    do {
      try reader.beginObject()
      while try reader.nextKey() {
        let key = reader.key()
        let value = try reader.skipValue()
        if isRepeated(key, &known) {
          repeated.append(key)
        } else {
          members.append(
            (key, (value.lowerBound + range.lowerBound)..<(value.upperBound + range.lowerBound)))
        }
      }
    } catch { return nil }
  }

  /// Up to here looking at each key costs less than hashing one.
  private static let few = 16

  /// Whether a key came already; notes that it came.
  private func isRepeated(_ key: String, _ known: inout Set<[UInt8]>) -> Bool {
    if members.count < Self.few {
      return members.contains { $0.key.utf8.elementsEqual(key.utf8) }
    }
    if known.isEmpty { known = Set(members.map { Array($0.key.utf8) }) }
    return !known.insert(Array(key.utf8)).inserted
  }

  /// Where the value of a member stands.
  subscript(key: String) -> Range<Int>? { members.first { $0.key == key }?.value }

  func kind(_ key: String) -> JSON.Kind? { self[key].flatMap { JSONText.kind($0, in: bytes) } }

  func string(_ key: String) -> String? { self[key].flatMap { JSONText.string($0, in: bytes) } }

  /// A string that names something, and so is not empty.
  func name(_ key: String) -> String? { string(key).flatMap { $0.isEmpty ? nil : $0 } }

  func json(_ key: String) -> JSON? { self[key].flatMap { JSONText.value($0, in: bytes) } }

  func object(_ key: String) -> JSONObject? { self[key].flatMap { JSONObject($0, in: bytes) } }

  func elements(_ key: String) -> [Range<Int>]? {
    self[key].flatMap { JSONText.elements($0, in: bytes) }
  }

  /// The members that a codec has no place for, to be kept beside.
  func others(than known: [String]) -> [(String, JSON)] {
    members.compactMap { key, value in
      known.contains(key) ? nil : JSONText.value(value, in: bytes).map { (key, $0) }
    }
  }
}
