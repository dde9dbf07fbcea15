import Keepsake

/// Notes the kinds of values at the beginning of a JSON text, by JSON Pointer, and the short strings among them.
///
/// It refuses nothing: a text that is cut off or damaged is read as far as it goes.
struct HeadSketch {
  private static let depthLimit = 6
  /// How many elements of each array are looked into.
  private let elementLimit: Int
  private static let textLimit = 200
  private static let valueLimit = 4096

  private let bytes: ArraySlice<UInt8>
  private var index: Int
  private var kinds: [String: JSON.Kind] = [:]
  private var texts: [String: String] = [:]
  /// Whether the text holds a whole value.
  private(set) var isComplete = false

  init(_ bytes: [UInt8], elements: Int = 3) { self.init(bytes[...], elements: elements) }

  init(_ bytes: ArraySlice<UInt8>, elements: Int = 3) {
    self.bytes = bytes
    elementLimit = elements
    index = bytes.startIndex
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index += 3 }
    isComplete = value(at: "", depth: 0)
  }

  /// The kind of the value at a JSON Pointer; nil where no value was seen.
  func kind(at pointer: String) -> JSON.Kind? { kinds[pointer] }

  /// The string at a JSON Pointer; nil where there is no string, or a long one.
  func text(at pointer: String) -> String? { texts[pointer] }

  func has(_ pointers: String...) -> Bool { pointers.allSatisfy { kinds[$0] != nil } }
}

extension HeadSketch {
  /// Passes over a value and notes it; false where the text ends too early or holds no JSON.
  private mutating func value(at pointer: String, depth: Int) -> Bool {
    skipSpace()
    guard index < bytes.endIndex else { return false }
    switch bytes[index] {
    case UInt8(ascii: "{"):
      note(.object, at: pointer)
      return depth < Self.depthLimit ? object(at: pointer, depth: depth) : skipBrackets()
    case UInt8(ascii: "["):
      note(.array, at: pointer)
      return depth < Self.depthLimit ? array(at: pointer, depth: depth) : skipBrackets()
    case UInt8(ascii: "\""):
      note(.string, at: pointer)
      let start = index
      guard skipString() else { return false }
      if index - start <= Self.textLimit { texts[pointer] = text(start..<index) }
      return true
    case UInt8(ascii: "t"), UInt8(ascii: "f"): note(.bool, at: pointer)
    case UInt8(ascii: "n"): note(.null, at: pointer)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): note(.number, at: pointer)
    default: return false
    }
    while index < bytes.endIndex, !Self.endsScalar(bytes[index]) { index += 1 }
    return true
  }

  private mutating func object(at pointer: String, depth: Int) -> Bool {
    index += 1
    while true {
      skipSpace()
      guard index < bytes.endIndex else { return false }
      switch bytes[index] {
      case UInt8(ascii: "}"):
        index += 1
        return true
      case UInt8(ascii: ","): index += 1
      case UInt8(ascii: "\""):
        let start = index
        guard skipString() else { return false }
        let key = index - start <= Self.textLimit ? text(start..<index) : nil
        skipSpace()
        guard index < bytes.endIndex, bytes[index] == UInt8(ascii: ":") else { return false }
        index += 1
        let token = key.map(Self.token) ?? ""
        guard value(at: "\(pointer)/\(token)", depth: depth + 1) else { return false }
      default: return false
      }
    }
  }

  private mutating func array(at pointer: String, depth: Int) -> Bool {
    index += 1
    var count = 0
    while true {
      skipSpace()
      guard index < bytes.endIndex else { return false }
      switch bytes[index] {
      case UInt8(ascii: "]"):
        index += 1
        return true
      case UInt8(ascii: ","): index += 1
      default:
        let isSeen = count < elementLimit
        // Elements above the limit are passed over without a note, as values that lie too deep are.
        guard value(at: "\(pointer)/\(count)", depth: isSeen ? depth + 1 : Self.depthLimit) else {
          return false
        }
        count += 1
      }
    }
  }

  private mutating func note(_ kind: JSON.Kind, at pointer: String) {
    if kinds.count < Self.valueLimit, kinds[pointer] == nil { kinds[pointer] = kind }
  }

  private func text(_ range: Range<Int>) -> String? {
    (try? JSON(validating: Array(bytes[range])))?.stringValue
  }

  private static func token(_ key: String) -> String {
    guard key.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "~") }) else {
      return key
    }
    return key.replacing("~", with: "~0").replacing("/", with: "~1")
  }

  private static func endsScalar(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]")
      || byte == UInt8(ascii: "}")
  }

  private mutating func skipSpace() {
    while index < bytes.endIndex, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[index]) { index += 1 }
  }

  private mutating func skipString() -> Bool {
    index += 1
    while index < bytes.endIndex {
      let byte = bytes[index]
      index += byte == UInt8(ascii: "\\") ? 2 : 1
      if byte == UInt8(ascii: "\"") { return true }
    }
    index = bytes.endIndex
    return false
  }

  private mutating func skipBrackets() -> Bool {
    var depth = 0
    while index < bytes.endIndex {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        guard skipString() else { return false }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      index += 1
      if depth == 0 { return true }
    }
    return false
  }
}
