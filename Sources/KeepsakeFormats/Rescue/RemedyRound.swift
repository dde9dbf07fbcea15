import KeepsakeFiles

/// Remedies that can be applied together because no two change the same range. The others are found again in the next
/// round.
struct RemedyRound {
  private(set) var accepted: [Remedy] = []
  var patches: [Int: LinePatch] = [:]
  /// The lines that are left out.
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
