import KeepsakeSQLite

/// Which sessions' rows make up what one session shows: its own, and those of the sessions that it was forked from, each
/// as far as the fork shares it.
///
/// The pieces are in the order of forking and never change once the fork is made, so a handle keeps them. Mostly each
/// begins where the one before it ends. One that attached something to what it shares itself is there for that, also
/// where the next one begins before it and shows none of its entries.
struct Lineage: Sendable, Hashable {
  struct Piece: Sendable, Hashable {
    let session: Int64
    /// The first position that this session owns.
    let start: Int
    /// The first position that a later piece owns: from there on nothing of this session shows.
    let end: Int
    /// The changes of that session that show here; nil for all of them.
    let changes: Int?

    /// The entries of this piece that show; none where a later piece begins before it.
    var positions: Range<Int> { start..<max(start, end) }
  }

  /// Root first, the session itself last.
  let pieces: [Piece]

  init(rootOf session: Int64) {
    pieces = [Piece(session: session, start: 0, end: .max, changes: nil)]
  }

  /// Walks up from a session to its root.
  init(of session: Int64, in db: Connection) throws {
    var pieces: [Piece] = []
    var number = session
    var changes: Int?
    var end = Int.max
    let row = try db.prepare(
      "SELECT fork_position, parent, fork_change FROM session WHERE number = ?")
    while true {
      row.bind(number)
      guard try row.step() else {
        throw KeepsakeError(
          .damaged,
          "A fork's parent, session number \(number), is not there.", remedy: .verify)
      }
      let start = try row.int(in: .entries)
      pieces.append(Piece(session: number, start: start, end: end, changes: changes))
      guard let parent = try row.optionalInt64(in: .session) else { break }
      guard pieces.count < 10_000 else {
        throw KeepsakeError(
          .damaged, "Session number \(session) is a fork of itself.", remedy: .verify)
      }
      changes = try row.optionalInt(in: .count)
      end = min(end, start)
      number = parent
      row.reset()
    }
    self.pieces = pieces.reversed()
  }

  /// That of a fork of the session that this is the lineage of.
  init(of fork: Int64, at position: Int, change: Int?, of parent: Lineage) {
    pieces =
      parent.pieces.enumerated().map { index, piece in
        Piece(
          session: piece.session, start: piece.start, end: min(piece.end, position),
          changes: index == parent.pieces.count - 1 ? change : piece.changes)
      } + [Piece(session: fork, start: position, end: .max, changes: nil)]
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

  /// What this session shares of others; nothing where it is no fork.
  var shared: ArraySlice<Piece> { pieces.dropLast() }

  func id(of position: Int) -> EntryID {
    EntryID(session: owner(of: position).session, position: position)
  }

  /// The stretches of entry ids that make up a range of positions, in order.
  func stretches(_ positions: Range<Int>) -> [(piece: Piece, positions: Range<Int>)] {
    if pieces.count == 1 { return positions.isEmpty ? [] : [(pieces[0], positions)] }
    return pieces.compactMap { piece in
      let shown = piece.positions.clamped(to: positions)
      return shown.isEmpty ? nil : (piece, shown)
    }
  }
}
