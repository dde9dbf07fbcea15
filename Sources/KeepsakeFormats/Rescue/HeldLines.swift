import KeepsakeFiles
import Keepsake

/// The lines of a file that is being healed. The file is never changed; the changed lines are held in memory.
struct HeldLines {
  private struct Line {
    /// The number of the line, counted from 1. An added line has the number of the line before it.
    let number: Int
    let range: Range<Int64>
    var changed: [UInt8]?
    var isLeftOut = false
  }

  let file: ForeignFile
  private var lines: [Line] = []
  /// The numbers of the lines around which zero bytes stand, as a crash leaves them. The bytes are part of no line.
  private(set) var padded: [Int] = []
  /// The added lines, by the line that they follow.
  private var added: [Int: [Int]] = [:]
  /// The line that a line at the very beginning follows.
  static let beginning = -1

  /// Reads the lines of a file.
  /// - Parameters:
  ///   - file: The file.
  ///   - take: Is called in order with the index and the bytes of each line that is not blank.
  init(_ file: ForeignFile, _ take: (Int, [UInt8]) throws -> Void) throws {
    self.file = file
    var scanner = LineScanner(file)
    while let line = try scanner.next() {
      let around = [
        line.bytes[..<line.content.lowerBound], line.bytes[line.content.upperBound...],
      ]
      if around.contains(where: { $0.contains(0) }) { padded.append(line.number) }
      guard !line.content.isEmpty else { continue }
      let start = scanner.offset - Int64(line.bytes.count)
      let range =
        (start + Int64(line.content.lowerBound))..<(start + Int64(line.content.upperBound))
      lines.append(Line(number: line.number, range: range))
      try take(lines.count - 1, Array(line.bytes[line.content]))
    }
  }

  /// Returns whether bytes are one JSON value.
  static func isJSON(_ bytes: [UInt8]) -> Bool {
    var reader = JSONReader(bytes.span.bytes)
    do {
      try reader.skipValue()
      try reader.end()
      return true
    } catch { return false }
  }

  /// The indices of all lines that are not left out, in the order of the new file.
  var order: [Int] {
    var order: [Int] = []
    order.reserveCapacity(lines.count)
    func add(_ line: Int) {
      if !lines[line].isLeftOut { order.append(line) }
      for line in added[line] ?? [] { add(line) }
    }
    for line in added[Self.beginning] ?? [] { add(line) }
    let count = lines.count - added.values.reduce(0) { $0 + $1.count }
    for line in 0..<count { add(line) }
    return order
  }

  func number(_ line: Int) -> Int { lines[line].number }

  func isLeftOut(_ line: Int) -> Bool { lines[line].isLeftOut }

  func bytes(_ line: Int) throws -> [UInt8] {
    try lines[line].changed ?? file.read(lines[line].range)
  }

  mutating func replace(_ line: Int, with bytes: [UInt8]) { lines[line].changed = bytes }

  mutating func leaveOut(_ line: Int) {
    lines[line].isLeftOut = true
    lines[line].changed = nil
  }

  /// Adds a line after another one, and after lines that were added there before.
  mutating func insert(_ bytes: [UInt8], after line: Int) {
    let number = line == Self.beginning ? 1 : lines[line].number
    lines.append(Line(number: number, range: 0..<0, changed: bytes))
    added[line, default: []].append(lines.count - 1)
  }
}
