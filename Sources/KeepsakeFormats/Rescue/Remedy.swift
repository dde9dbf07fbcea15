import KeepsakeFiles

/// What heals one finding: all of it is done, or none.
struct Remedy {
  /// A piece of a line, and what takes its place.
  struct Piece {
    let line: Int
    let range: Range<Int>
    let bytes: [UInt8]
    let edit: RescueEdit
    /// What stands there, as a JSON pointer.
    let pointer: String
  }

  let cause: RescueCause
  /// The line that the finding is told of.
  let line: Int
  /// What exactly is wrong there.
  let detail: String
  var pieces: [Piece] = []
  /// Lines that are not in the healed file.
  var leavesOut: [(line: Int, edit: RescueEdit)] = []
  /// A line that is added, with its uuid.
  var addition: (bytes: [UInt8], uuid: String, after: Int)?
  /// The image or document that becomes a label: which of its line's it is.
  var label: (line: Int, index: Int, digest: SHA256Digest?)?

  init(_ cause: RescueCause, _ line: Int, _ detail: String) {
    self.cause = cause
    self.line = line
    self.detail = detail
  }

  mutating func replace(
    _ range: Range<Int>, of line: Int, with bytes: [UInt8], _ edit: RescueEdit, at pointer: String
  ) {
    pieces.append(Piece(line: line, range: range, bytes: bytes, edit: edit, pointer: pointer))
  }
}
