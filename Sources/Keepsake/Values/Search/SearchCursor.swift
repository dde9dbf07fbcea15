/// The place in the hits of a search at which a page ended.
///
/// A cursor is valid for the query, scope and order that gave it, and short enough to be typed. Entries that are appended or
/// indexed between two pages neither hide nor repeat a hit, except that changed scores can swap neighbours in a ranking.
public struct SearchCursor: Sendable, Hashable, Codable {
  /// A place in a ranking; each page ranks the entries of the first page anew.
  struct Ranked: Sendable, Hashable, Codable {
    /// The largest document number when the first page was read.
    let newest: Int64
    /// The newest time of an entry that was not indexed then; the least number if there was none.
    let latest: Int64
    /// The number of shown entries, in case the last of them is gone.
    let shown: Int64
    /// The id of the last shown entry.
    let last: Int64
  }

  /// The kinds of places, by the order of the search.
  enum Place: Sendable, Hashable, Codable {
    /// A place among the entries that were not indexed when the first page was read.
    ///
    /// These entries now have larger document numbers, or still wait for the index.
    case recent(above: Int64, created: Int64, entry: Int64)
    /// A place among the documents, newest first, by document number.
    case document(Int64)
    /// A place in a ranking, after an entry; new entries shift scores, but hardly the order.
    case ranked(Ranked)
  }

  let place: Place
}

extension SearchCursor: LosslessStringConvertible {
  /// Reads a cursor from the text that ``description`` gives; nil for any other text.
  public init?(_ description: String) {
    var parts = description.split(separator: ".", omittingEmptySubsequences: false)[...]
    let name = parts.removeFirst()
    let numbers = parts.compactMap { Int64($0, radix: 36) }
    guard numbers.count == parts.count else { return nil }
    switch (name, numbers.count) {
    case ("r", 3): place = .recent(above: numbers[0], created: numbers[1], entry: numbers[2])
    case ("d", 1): place = .document(numbers[0])
    case ("s", 4) where numbers[2] >= 0:
      place = .ranked(
        Ranked(newest: numbers[0], latest: numbers[1], shown: numbers[2], last: numbers[3]))
    default: return nil
    }
  }

  /// The cursor as text, to be stored, sent or typed.
  public var description: String {
    let (name, numbers): (String, [Int64]) =
      switch place {
      case .recent(let above, let created, let entry): ("r", [above, created, entry])
      case .document(let number): ("d", [number])
      case .ranked(let place): ("s", [place.newest, place.latest, place.shown, place.last])
      }
    return ([name] + numbers.map { String($0, radix: 36) }).joined(separator: ".")
  }
}
