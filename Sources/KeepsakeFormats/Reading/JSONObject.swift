import KeepsakeFiles
import Keepsake

/// The members of an object in a record, by their ranges; a value is read when it is asked for.
///
/// The record was validated before, so a value that can't be read has another kind than the asked one.
struct JSONObject {
  let bytes: [UInt8]
  private(set) var members: [(key: String, value: Range<Int>)] = []
  /// The keys that came again. Of a repeated key the first is taken, as Foundation's decoder does.
  private(set) var repeated: [String] = []

  /// Reads the object at a range; nil where another value stands there.
  init?(_ range: Range<Int>, in bytes: [UInt8]) {
    self.bytes = bytes
    var reader = JSONReader(valid: bytes.span.bytes.extracting(range))
    // The keys as bytes, which are gathered only once there are many.
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

  /// The number of members up to which comparing with each key costs less than hashing.
  private static let few = 16

  /// Returns whether a key came before; notes the key where many are known.
  private func isRepeated(_ key: String, _ known: inout Set<[UInt8]>) -> Bool {
    if members.count < Self.few {
      return members.contains { $0.key.utf8.elementsEqual(key.utf8) }
    }
    if known.isEmpty { known = Set(members.map { Array($0.key.utf8) }) }
    return !known.insert(Array(key.utf8)).inserted
  }

  /// The range of a member's value.
  subscript(key: String) -> Range<Int>? { members.first { $0.key == key }?.value }

  func kind(_ key: String) -> JSON.Kind? { self[key].flatMap { JSONText.kind($0, in: bytes) } }

  func string(_ key: String) -> String? { self[key].flatMap { JSONText.string($0, in: bytes) } }

  /// A string that is not empty; nil otherwise.
  func name(_ key: String) -> String? { string(key).flatMap { $0.isEmpty ? nil : $0 } }

  func json(_ key: String) -> JSON? { self[key].flatMap { JSONText.value($0, in: bytes) } }

  func object(_ key: String) -> JSONObject? { self[key].flatMap { JSONObject($0, in: bytes) } }

  func elements(_ key: String) -> [Range<Int>]? {
    self[key].flatMap { JSONText.elements($0, in: bytes) }
  }

  /// The members other than the known ones, with their values.
  func others(than known: [String]) -> [(String, JSON)] {
    members.compactMap { key, value in
      known.contains(key) ? nil : JSONText.value(value, in: bytes).map { (key, $0) }
    }
  }
}
