extension SourcePiece {
  /// Returns all bytes of the piece, as they stood in the file.
  func whole(handle: StoreHandle) throws -> [UInt8] {
    var whole: [UInt8] = []
    try replay(
      artifact: { number in
        try handle.read { db in
          try handle.artifacts.artifact(number: number, handle: handle, in: db)
        }
      }, into: { whole += $0 })
    return whole
  }

  /// Hands over the bytes of the piece, as they stood in the file.
  ///
  /// - Parameters:
  ///   - artifact: Finds the artifact with a number.
  ///   - take: Takes the next bytes.
  func replay(
    artifact: (Int64) throws -> Artifact, into take: ([UInt8]) throws -> Void
  ) throws {
    guard let bytes = try content?.unpacked() else {
      throw KeepsakeError(
        .notFound, "A record of the imported file was erased. Export the session without it.")
    }
    var start = 0
    for span in spans {
      guard span.position >= start, span.position <= bytes.count else {
        throw KeepsakeError(
          .damaged, "A span of a source stands outside of its piece.", remedy: .verify)
      }
      if span.position > start { try take(Array(bytes[start..<span.position])) }
      start = span.position
      try span.spell(artifact(span.artifact), into: take)
    }
    if start < bytes.count { try take(Array(bytes[start...])) }
  }
}

extension SourcePiece.Span {
  /// Hands over the base64 of an artifact, spelled as it stood in the file.
  fileprivate func spell(_ artifact: Artifact, into take: ([UInt8]) throws -> Void) throws {
    var encoder = Base64Spelling.Encoder(spelling)
    var pieces = Artifact.Pieces(artifact, size: Base64Spelling.pieceSize)
    while let piece = try pieces.next() {
      var text: [UInt8] = []
      text.reserveCapacity(piece.count * 4 / 3 + 4)
      encoder.add(piece, to: &text)
      try take(text)
    }
    var text: [UInt8] = []
    encoder.finish(to: &text)
    if !text.isEmpty { try take(text) }
  }
}
