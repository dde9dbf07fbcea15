import KeepsakeFiles

/// The changes that heal one finding, all of which are made, or none.
struct Remedy {
  /// A range of a line, and the bytes that replace it.
  struct Piece {
    let line: Int
    let range: Range<Int>
    let bytes: [UInt8]
    let edit: RescueEdit
    /// The JSON Pointer of the replaced value.
    let pointer: String
  }

  let cause: RescueCause
  /// The line that the finding names.
  let line: Int
  /// A sentence that says what is wrong there.
  let detail: String
  var pieces: [Piece] = []
  /// The lines that are left out of the healed file.
  var leavesOut: [(line: Int, edit: RescueEdit)] = []
  /// A line that is added, with its id, which is empty where it has none.
  var addition: (bytes: [UInt8], id: String, after: Int)?
  /// The edit by which the added line is reported.
  var adds = RescueEdit.answer
  /// The image or document that becomes a label, with its index among those of its line.
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

extension RescueReport {
  /// Adds a remedy's finding and changes to the report.
  /// - Parameters:
  ///   - remedy: The remedy.
  ///   - number: Returns the number of a line in the file.
  mutating func note(_ remedy: Remedy, number: (Int) -> Int) {
    findings.append(
      Finding(cause: remedy.cause, line: number(remedy.line), detail: remedy.detail))
    for piece in remedy.pieces {
      changes.append(
        Change(
          edit: piece.edit, cause: remedy.cause, line: number(piece.line), pointer: piece.pointer))
    }
    for (line, edit) in remedy.leavesOut {
      changes.append(Change(edit: edit, cause: remedy.cause, line: number(line), pointer: nil))
    }
    if let (_, _, line) = remedy.addition {
      changes.append(
        Change(edit: remedy.adds, cause: remedy.cause, line: number(line), pointer: nil))
    }
    if let digest = remedy.label?.digest { labelled.append(digest) }
  }

  /// Reports the zero bytes around lines, which are part of no line and so are left out.
  mutating func note(padded lines: [Int]) {
    for line in lines {
      findings.append(
        Finding(cause: .lineDamaged, line: line, detail: "Zero bytes stand around it."))
      changes.append(Change(edit: .leaveOut, cause: .lineDamaged, line: line, pointer: ""))
    }
  }

  /// Sorts findings and changes by their lines.
  mutating func sort() {
    findings.sort { $0.line < $1.line }
    changes.sort { $0.line < $1.line }
  }
}
