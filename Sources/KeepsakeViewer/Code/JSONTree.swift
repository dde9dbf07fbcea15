import Keepsake

/// Writes JSON as a tree whose objects and arrays can be folded.
///
/// The text of its elements is the JSON to the letter, without blanks between values: whoever copies it has the JSON.
/// A line break in a string is shown as one, behind the escape that stands for it.
struct JSONTree {
  /// The number of members above which JSON is no tree. It is shown as code then.
  private static let memberLimit = 1500
  /// The depth below which values stay on their lines.
  private static let depthLimit = 8
  /// The size in bytes, and the number of members, above which an object or array is folded at first.
  private static let openLimit = (bytes: 4000, members: 30)

  private let bytes: [UInt8]
  /// The ends of the values that have members, and how many these are, by the values' beginnings.
  private var shapes: [Int: (end: Int, members: Int)] = [:]

  /// Returns nil for a value without members, and for one that has too many.
  init?(_ json: JSON) {
    let json = json.minified
    bytes = json.bytes
    guard let first = bytes.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      measure()
    else { return nil }
  }

  /// Finds where each object and array ends; false where there are too many members.
  private mutating func measure() -> Bool {
    var open: [(start: Int, members: Int)] = []
    var total = 0
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index = endOfString(index)
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): open.append((index, 0))
      case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard var last = open.popLast() else { return false }
        if index > last.start + 1 { last.members += 1 }
        total += 1
        if total > Self.memberLimit { return false }
        if bytes[index] == UInt8(ascii: ",") {
          open.append(last)
        } else {
          shapes[last.start] = (index + 1, last.members)
        }
      default: break
      }
      index += 1
    }
    return open.isEmpty
  }

  /// The index behind a string that begins at an index.
  private func endOfString(_ start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, bytes.count)
  }

  /// The index behind a value that begins at an index.
  private func endOfValue(_ start: Int) -> Int {
    if let shape = shapes[start] { return shape.end }
    if bytes[start] == UInt8(ascii: "\"") { return endOfString(start) }
    return bytes[start...].firstIndex { ",]}".utf8.contains($0) } ?? bytes.count
  }

  // MARK: - Writing

  func write(to html: inout HTML) {
    write(bytes[0...0], to: &html)
    members(of: 0, depth: 1, to: &html)
    write(bytes[(bytes.count - 1)...], to: &html)
  }

  private func members(of start: Int, depth: Int, to html: inout HTML) {
    guard let end = shapes[start]?.end else { return }
    let isObject = bytes[start] == UInt8(ascii: "{")
    var index = start + 1
    while index < end - 1 {
      // The key with its colon.
      let value = isObject ? endOfString(index) + 1 : index
      let key = index..<value
      var next = endOfValue(value)
      let last = next
      if next < end - 1 { next += 1 }
      let after = bytes[last..<next]
      if let shape = shapes[value], shape.members > 0, depth < Self.depthLimit {
        fold(value, shape, key: key, depth: depth, after: after, to: &html)
      } else {
        html.markup("<div>")
        self.key(key, to: &html)
        flat(value..<last, to: &html)
        write(after, to: &html)
        html.markup("</div>")
      }
      index = next
    }
  }

  private func fold(
    _ start: Int, _ shape: (end: Int, members: Int), key: Range<Int>, depth: Int,
    after: ArraySlice<UInt8>, to html: inout HTML
  ) {
    let isOpen =
      shape.end - start <= Self.openLimit.bytes && shape.members <= Self.openLimit.members
    html.begin("details", ["open": isOpen ? "" : nil])
    html.begin("summary", ["data-members": String(shape.members)])
    self.key(key, to: &html)
    write(bytes[start...start], to: &html)
    html.end("summary")
    members(of: start, depth: depth + 1, to: &html)
    write(bytes[(shape.end - 1)..<shape.end], to: &html)
    write(after, to: &html)
    html.end("details")
  }

  private func key(_ range: Range<Int>, to html: inout HTML) {
    guard !range.isEmpty else { return }
    token(range.lowerBound..<range.upperBound - 1, .key, to: &html)
    html.markup(": ")
  }

  /// Writes a value on its line.
  private func flat(_ range: Range<Int>, to html: inout HTML) {
    var index = range.lowerBound
    while index < range.upperBound {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        let end = endOfString(index)
        let isKey = end < range.upperBound && bytes[end] == UInt8(ascii: ":")
        if isKey { token(index..<end, .key, to: &html) } else { string(index..<end, to: &html) }
        index = end
      case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
        UInt8(ascii: ","), UInt8(ascii: ":"):
        write(bytes[index...index], to: &html)
        index += 1
      default:
        let end = min(endOfValue(index), range.upperBound)
        let isNumber = bytes[index] == UInt8(ascii: "-") || CodeScanner.isDigit(bytes[index])
        token(index..<end, isNumber ? .number : .keyword, to: &html)
        index = end
      }
    }
  }

  /// Writes a string. The escape of a line break gets an element, behind which the style sheet breaks the line.
  private func string(_ range: Range<Int>, to html: inout HTML) {
    html.begin("span", ["class": CodeToken.string.cssClass])
    var start = range.lowerBound
    var index = start
    while index < range.upperBound {
      guard bytes[index] == UInt8(ascii: "\\"), index + 1 < range.upperBound else {
        index += 1
        continue
      }
      if bytes[index + 1] == UInt8(ascii: "n") {
        write(bytes[start..<index], to: &html)
        html.markup("<span class=\"e\">\\n</span>")
        start = index + 2
      }
      index += 2
    }
    write(bytes[start..<range.upperBound], to: &html)
    html.end("span")
  }

  private func token(_ range: Range<Int>, _ token: CodeToken, to html: inout HTML) {
    html.element(
      "span", ["class": token.cssClass], text: String(decoding: bytes[range], as: UTF8.self))
  }

  private func write(_ piece: ArraySlice<UInt8>, to html: inout HTML) {
    if !piece.isEmpty { html.text(String(decoding: piece, as: UTF8.self)) }
  }
}
