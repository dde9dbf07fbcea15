/// An entry's id in the database: its session's number and its position in one integer.
///
/// So one range of ids is a session, in the order of its entries. Nothing else knows how the two are put together.
struct EntryID: RawRepresentable, Hashable, Comparable {
  static let positionBits: Int64 = 24
  /// The highest position, which has all the bits of one: `id & maximumPosition` is the position of an id.
  static let maximumPosition = (1 << positionBits) - 1

  let rawValue: Int64

  init(session: Int64, position: Int) {
    rawValue = session << Self.positionBits | Int64(position)
  }

  init(rawValue: Int64) { self.rawValue = rawValue }

  static func < (a: EntryID, b: EntryID) -> Bool { a.rawValue < b.rawValue }

  var session: Int64 { rawValue >> Self.positionBits }
  var position: Int { Int(rawValue & Int64(Self.maximumPosition)) }
}

extension EntryID {
  /// The ids that the entries of a session can have.
  static func all(of session: Int64) -> ClosedRange<EntryID> {
    EntryID(session: session, position: 0)...EntryID(session: session, position: maximumPosition)
  }

  /// The ids of the entries at some positions of a session, of which there is one at least.
  static func range(_ positions: Range<Int>, of session: Int64) -> ClosedRange<EntryID> {
    EntryID(
      session: session, position: positions.lowerBound)...EntryID(
        session: session, position: positions.upperBound - 1)
  }

  /// The number behind the ids of a session's first entries. It is the next session's first id where the session has as
  /// many entries as it can have.
  static func end(of session: Int64, after entries: Int) -> Int64 {
    EntryID(session: session, position: 0).rawValue + Int64(entries)
  }
}
