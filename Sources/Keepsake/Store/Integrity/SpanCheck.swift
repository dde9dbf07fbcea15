/// Checks the base64 that was cut out of a source's own pieces: whether it can be told where each stood, whether its
/// artifact is there, and whether the list of the source's artifacts says the same.
struct SpanCheck {
  let source: Int64
  /// The name of the source in findings.
  let name: String
  let db: Tables

  /// - Returns: Whether each span can be filled in.
  func run(_ report: inout VerifyReport) throws -> Bool {
    let held = try artifacts(&report)
    let listed = try db.checks.listedArtifacts(of: source)
    // For an artifact in the list of the source, a foreign key tells that it is there.
    let lost = try held.pieces.keys.filter {
      try listed[$0] == nil && !db.checks.hasArtifact($0)
    }
    if !lost.isEmpty {
      report.damaged(name, "It holds \(lost.count) artifacts that are not there.")
    }
    let unlisted = held.pieces.count { listed[$0.key, default: 0] < $0.value } - lost.count
    if unlisted > 0 {
      report.damaged(
        name,
        "\(unlisted) of the artifacts that it holds are not listed as used by all of its pieces that have them: they can be lost."
      )
    }
    // The artifacts of a piece whose spans can't be read may be among them.
    let unused = listed.count { held.pieces[$0.key, default: 0] < $0.value }
    if held.areReadable, unused > 0 {
      report.derived(
        name, "\(unused) artifacts are listed as used by more of its pieces than have them.")
    }
    return held.areReadable && lost.isEmpty
  }

  /// Counts, for each artifact that spans of the source name, the pieces that have it.
  private func artifacts(_ report: inout VerifyReport) throws -> (
    pieces: [Int64: Int64], areReadable: Bool
  ) {
    var pieces: [Int64: Int64] = [:]
    var areReadable = true
    try db.checks.forEachPieceWithSpans(of: source) { piece, text, size in
      guard let spans = SpanText.spans(in: text) else {
        report.damaged(name, "The spans of its piece \(piece) can't be read.")
        areReadable = false
        return
      }
      for artifact in Set(spans.map(\.artifact)) { pieces[artifact, default: 0] += 1 }
      guard let last = spans.last, size.map({ last.position > $0 }) ?? true else { return }
      report.damaged(name, "A span of its piece \(piece) stands outside of it.")
      areReadable = false
    }
    return (pieces, areReadable)
  }
}
