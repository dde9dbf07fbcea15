/// The sessions whose rows make up the content of one session: the session itself, and those that it was forked from.
///
/// A fork shares the entries of each of these sessions up to a position. The pieces are in the order of forking, and
/// never change after the fork is made, so a handle keeps them. As a rule, a piece begins where the piece before it
/// ends. A piece may also show no entries, and be there only for what its session attached to entries that it shares.
struct Lineage: Sendable, Hashable {
  struct Piece: Sendable, Hashable {
    let session: Int64
    /// The first position that this session owns.
    let start: Int
    /// The first position that a later piece owns: from there on nothing of this session shows.
    let end: Int
    /// The number of the session's changes that show here; nil for all of them.
    let changes: Int?

    /// The positions of this piece that show; none if a later piece begins before this one.
    var positions: Range<Int> { start..<max(start, end) }
  }

  /// The pieces, from the root to the session itself.
  let pieces: [Piece]

  init(rootOf session: Int64) {
    pieces = [Piece(session: session, start: 0, end: .max, changes: nil)]
  }

  init(pieces: [Piece]) { self.pieces = pieces }

  /// Makes the lineage of a new fork from the lineage of its parent.
  init(of fork: Int64, at position: Int, change: Int?, of parent: Lineage) {
    pieces =
      parent.pieces.enumerated().map { index, piece in
        Piece(
          session: piece.session, start: piece.start, end: min(piece.end, position),
          changes: index == parent.pieces.count - 1 ? change : piece.changes)
      } + [Piece(session: fork, start: position, end: .max, changes: nil)]
  }

  /// The number of the session itself.
  var session: Int64 { pieces[pieces.count - 1].session }

  /// The first position that the session itself owns.
  var start: Int { pieces[pieces.count - 1].start }

  /// Returns the piece whose session owns a position.
  func owner(of position: Int) -> Piece {
    if pieces.count == 1 { return pieces[0] }
    return pieces.last { $0.start <= position } ?? pieces[0]
  }

  /// Returns a piece and all after it, each of which may have attachments to the piece's entries.
  func pieces(from owner: Piece) -> ArraySlice<Piece> {
    pieces[(pieces.lastIndex(of: owner) ?? 0)...]
  }

  /// The pieces of other sessions; none if this session is no fork.
  var shared: ArraySlice<Piece> { pieces.dropLast() }

  func id(of position: Int) -> EntryID {
    EntryID(session: owner(of: position).session, position: position)
  }

  /// Cuts a range of positions into stretches, each of which one session owns.
  func stretches(_ positions: Range<Int>) -> [(piece: Piece, positions: Range<Int>)] {
    if pieces.count == 1 { return positions.isEmpty ? [] : [(pieces[0], positions)] }
    return pieces.compactMap { piece in
      let shown = piece.positions.clamped(to: positions)
      return shown.isEmpty ? nil : (piece, shown)
    }
  }
}
