/// Finds the strings of a JSON value, each with its path and the bytes that spell it.
enum JSONStrings {
  /// Passes each string that is a value, and no key, to a closure, without recursion at any depth.
  ///
  /// The path is a closure, because most strings are of no interest and their paths need not be made.
  static func forEach(in json: JSON, _ body: ([UInt8], Range<Int>, () -> [String]) -> Void) {
    var reader = JSONReader(valid: json.bytes.span.bytes)
    var open: [Level] = []
    // Reading does not fail, because a JSON value was checked when it was made.
    try? walk(&reader, &open, body)
  }

  /// An open object or array, with the key or index of the present value.
  private enum Level {
    case object(key: [UInt8])
    case array(index: Int)

    var token: String {
      switch self {
      case .object(let key): String(decoding: key, as: UTF8.self)
      case .array(let index): String(index)
      }
    }
  }

  private static func walk(
    _ reader: inout JSONReader, _ open: inout [Level],
    _ body: ([UInt8], Range<Int>, () -> [String]) -> Void
  ) throws(JSONError) {
    while true {
      switch try reader.nextKind() {
      case .object:
        try reader.beginObject()
        open.append(.object(key: []))
      case .array:
        try reader.beginArray()
        open.append(.array(index: -1))
      case .string:
        let start = reader.position + 1
        let value = try reader.stringBytes()
        let levels = open
        body(value, start..<reader.position - 1) { levels.map(\.token) }
      case .number, .bool, .null: try reader.skipValue()
      }
      // Go on to the next value, leaving the objects and arrays that end here.
      while true {
        guard let last = open.popLast() else { return }
        switch last {
        case .object:
          guard try reader.nextKey() else { continue }
          open.append(.object(key: reader.keyBytes()))
        case .array(let index):
          guard try reader.nextElement() else { continue }
          open.append(.array(index: index + 1))
        }
        break
      }
    }
  }

  /// Returns where given offsets of a string's value are in the string's spelling; the offsets must ascend.
  static func spelled(_ offsets: [Int], in bytes: [UInt8], _ extent: Range<Int>) -> [Int] {
    var result: [Int] = []
    var place = extent.lowerBound
    var length = 0
    var next = 0
    while next < offsets.count {
      if length >= offsets[next] || place >= extent.upperBound {
        result.append(place)
        next += 1
        continue
      }
      guard bytes[place] == UInt8(ascii: "\\") else {
        place += 1
        length += 1
        continue
      }
      guard bytes[place + 1] == UInt8(ascii: "u") else {
        place += 2
        length += 1
        continue
      }
      let unit = self.unit(bytes, place)
      if unit & 0xFC00 == 0xD800, bytes[place + 6] == UInt8(ascii: "\\"),
        bytes[place + 7] == UInt8(ascii: "u"), self.unit(bytes, place + 6) & 0xFC00 == 0xDC00
      {
        place += 12
        length += 4
      } else {
        place += 6
        // Half of a surrogate pair reads as U+FFFD, which has three bytes like its neighbours.
        length += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
      }
    }
    return result
  }

  private static func unit(_ bytes: [UInt8], _ place: Int) -> UInt32 {
    bytes[(place + 2)..<(place + 6)].reduce(0) { $0 << 4 | (JSONEscapes.digit($1) ?? 0) }
  }

  /// Returns a text as it is spelled inside of a JSON string.
  static func escaped(_ text: String) -> ArraySlice<UInt8> {
    JSON.string(text).bytes.dropFirst().dropLast()
  }
}
