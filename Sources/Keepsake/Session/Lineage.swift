import SQLite

/// Which sessions own the entries that one session shows: a fork shares its parent's, up to where it forked.
///
/// The pieces are in the order of positions and never change once the fork is made, so a handle keeps them.
struct Lineage: Sendable, Hashable {
  struct Piece: Sendable, Hashable {
    let session: Int64
    /// The first position that this session owns, as seen from the fork.
    let start: Int
    /// The changes of that session that show here; nil for all of them.
    let changes: Int?
  }

  /// Root first, the session itself last.
  let pieces: [Piece]

  init(rootOf session: Int64) {
    pieces = [Piece(session: session, start: 0, changes: nil)]
  }

  init(pieces: [Piece]) { self.pieces = pieces }

  /// Walks up from a session to its root.
  init(of session: Int64, in db: Connection) throws {
    var pieces: [Piece] = []
    var number = session
    var changes: Int?
    let row = try db.prepare(
      "SELECT parent, fork_position, fork_change FROM session WHERE number = ?")
    while true {
      row.bind(number, at: 1)
      guard try row.step() else {
        throw KeepsakeError(
          .damaged,
          "A fork's parent, session number \(number), is not there. Run 'keepsake verify'.")
      }
      let start = row.int(1)
      pieces.append(Piece(session: number, start: start, changes: changes))
      guard let parent = row.optionalInt64(0) else { break }
      guard pieces.count < 10_000 else {
        throw KeepsakeError(
          .damaged, "Session number \(session) is a fork of itself. Run 'keepsake verify'.")
      }
      changes = row.optionalInt(2)
      number = parent
      row.reset()
    }
    self.pieces = pieces.reversed()
  }

  /// The session that owns a position.
  func owner(of position: Int) -> Piece {
    if pieces.count == 1 { return pieces[0] }
    return pieces.last { $0.start <= position } ?? pieces[0]
  }

  /// A piece, and the forks that lead from it to this session: each may have attached something to the piece's entries.
  func pieces(from owner: Piece) -> ArraySlice<Piece> {
    pieces[(pieces.lastIndex(of: owner) ?? 0)...]
  }

  func id(of position: Int) -> EntryID {
    EntryID(session: owner(of: position).session, position: position)
  }

  /// The stretches of entry ids that make up a range of positions, in order.
  func stretches(_ positions: Range<Int>) -> [(piece: Piece, positions: Range<Int>)] {
    if pieces.count == 1 { return positions.isEmpty ? [] : [(pieces[0], positions)] }
    var stretches: [(Piece, Range<Int>)] = []
    for (index, piece) in pieces.enumerated() {
      let end = index + 1 < pieces.count ? pieces[index + 1].start : Int.max
      let low = max(positions.lowerBound, piece.start)
      let high = min(positions.upperBound, end)
      if low < high { stretches.append((piece, low..<high)) }
    }
    return stretches
  }
}
