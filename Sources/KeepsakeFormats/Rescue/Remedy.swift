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
  /// A line that is added, and its own id where it has one.
  var addition: (bytes: [UInt8], id: String, after: Int)?
  /// What the added line is.
  var adds = RescueEdit.answer
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

/// The remedies of which no two touch the same piece of a line, and so are done in one go. The others are found again.
struct RemedyRound {
  private(set) var accepted: [Remedy] = []
  var patches: [Int: LinePatch] = [:]
  /// The lines that go.
  private(set) var gone: Set<Int> = []

  init(_ remedies: [Remedy]) {
    for remedy in remedies {
      let isFree = remedy.pieces.allSatisfy { piece in
        !gone.contains(piece.line) && patches[piece.line]?.isFree(piece.range) ?? true
      }
      guard isFree, !remedy.leavesOut.contains(where: { patches[$0.line] != nil }) else { continue }
      accepted.append(remedy)
      for piece in remedy.pieces {
        patches[piece.line, default: LinePatch()].replace(piece.range, with: piece.bytes)
      }
      gone.formUnion(remedy.leavesOut.map(\.line))
    }
  }

  var additions: [(bytes: [UInt8], id: String, after: Int)] { accepted.compactMap(\.addition) }
}

extension RescueReport {
  /// Notes what is done, of lines with these numbers.
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

  /// Notes the zero bytes around lines, which are in none.
  mutating func note(padded lines: [Int]) {
    for line in lines {
      findings.append(
        Finding(cause: .lineDamaged, line: line, detail: "Zero bytes stand around it."))
      changes.append(Change(edit: .leaveOut, cause: .lineDamaged, line: line, pointer: ""))
    }
  }

  /// Puts all of it in the order of the lines.
  mutating func sort() {
    findings.sort { $0.line < $1.line }
    changes.sort { $0.line < $1.line }
  }
}
