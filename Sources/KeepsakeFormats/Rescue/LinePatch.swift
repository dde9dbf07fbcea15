import KeepsakeFiles
import Keepsake

/// Changes of a line: the ranges that are replaced, while all other bytes stay.
struct LinePatch {
  private var pieces: [(range: Range<Int>, bytes: [UInt8])] = []

  /// Returns whether a range touches no range that is replaced already.
  ///
  /// An insertion also conflicts with a range that begins or ends at its position.
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
