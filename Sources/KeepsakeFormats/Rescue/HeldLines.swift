import KeepsakeFiles
import Keepsake

/// The lines of a file while they are healed. The file stays as it is; what takes the place of a line is held here.
struct HeldLines {
  private struct Line {
    /// Counted from 1; of a line that was added, that of the one before it.
    let number: Int
    let range: Range<Int64>
    var changed: [UInt8]?
    var isLeftOut = false
  }

  let file: ForeignFile
  private var lines: [Line] = []
  /// The numbers of the lines around which zero bytes stand, as a crash leaves them: they are in no line.
  private(set) var padded: [Int] = []
  /// The lines that were added, by the one that they follow.
  private var added: [Int: [Int]] = [:]
  /// What a line follows that stands before all others.
  static let beginning = -1

  /// Reads a file.
  /// - Parameter take: Is given each line that is not blank, and its bytes, in order.
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

  /// Whether bytes are one value of JSON.
  static func isJSON(_ bytes: [UInt8]) -> Bool {
    var reader = JSONReader(bytes.span.bytes)
    do {
      try reader.skipValue()
      try reader.end()
      return true
    } catch { return false }
  }

  /// All lines that are there now, in their order.
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

  /// Adds a line behind another one, and behind those that were added there before.
  mutating func insert(_ bytes: [UInt8], after line: Int) {
    let number = line == Self.beginning ? 1 : lines[line].number
    lines.append(Line(number: number, range: 0..<0, changed: bytes))
    added[line, default: []].append(lines.count - 1)
  }
}

/// Changes of a line: pieces of it that are replaced, while all else stays as it is.
struct LinePatch {
  private var pieces: [(range: Range<Int>, bytes: [UInt8])] = []

  /// Whether nothing that is replaced already is touched by a range. Where something is put in between, so is what begins or
  /// ends there.
  func isFree(_ range: Range<Int>) -> Bool {
    !pieces.contains { piece in
      piece.range.isEmpty || range.isEmpty
        ? piece.range.lowerBound <= range.upperBound && range.lowerBound <= piece.range.upperBound
        : piece.range.overlaps(range)
    }
  }

  mutating func replace(_ range: Range<Int>, with bytes: [UInt8]) { pieces.append((range, bytes)) }

  func applied(to line: [UInt8]) -> [UInt8] {
    var patched: [UInt8] = []
    var start = 0
    for piece in pieces.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      patched += line[start..<piece.range.lowerBound]
      patched += piece.bytes
      start = piece.range.upperBound
    }
    return patched + line[start...]
  }
}
