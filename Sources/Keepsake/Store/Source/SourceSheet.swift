/// The places of a session's entries in the newest file of a format that they came from.
///
/// A codec writes by it: entries that have not changed since are written as they stood in the file, separators included, so
/// that a file that was imported is exported to the byte.
package struct SourceSheet: Sendable {
  /// A stretch of the file.
  package struct Piece: Sendable, Hashable {
    /// The positions of the entries that the piece says; nil for a part of the envelope.
    package let positions: Range<Int>?
    /// Tells whether the piece's bytes are here and still say what the session says, because no entry was revised, erased, or
    /// given another attachment.
    package let isCurrent: Bool

    let id: Int64
  }

  /// The pieces, in the order of the file.
  package let pieces: [Piece]
  /// Tells whether the file says all that the session says, and nothing else. Then the file is the export.
  package let isWhole: Bool
  /// The number of files that were taken in since because the session's calls name them. They lie beside the conversation,
  /// and leave the entries as they are in the file.
  package let filesBeside: Int

  private let handle: StoreHandle

  init(pieces: [Piece], entries: Int, filesBeside: Int, handle: StoreHandle) {
    self.pieces = pieces
    self.filesBeside = filesBeside
    self.handle = handle
    var next = 0
    var isWhole = true
    for piece in pieces {
      if !piece.isCurrent { isWhole = false }
      guard let positions = piece.positions else { continue }
      if positions.lowerBound != next { isWhole = false }
      next = positions.upperBound
    }
    self.isWhole = isWhole && next == entries
  }

  /// Hands over the bytes of a piece, as they stood in the file.
  package func replay(_ piece: Piece, into take: ([UInt8]) throws -> Void) throws {
    let stored = try handle.read { db in try SourcePiece(piece.id, in: db) }
    try stored.replay(
      artifact: { number in
        try handle.read { db in
          try handle.artifacts.artifact(number: number, handle: handle, in: db)
        }
      }, into: take)
  }
}
