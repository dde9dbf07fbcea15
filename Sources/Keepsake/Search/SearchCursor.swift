/// Where a page of hits ended.
///
/// It is good for the query, scope and order that gave it, and short enough to be typed. Entries that are appended or
/// indexed between two pages push nothing out and repeat nothing, but that what they do to scores can swap neighbours of a
/// ranking.
public struct SearchCursor: Sendable, Hashable, Codable {
  /// A place in a ranking, which is made again for each page, over what there was for the first.
  struct Ranked: Sendable, Hashable, Codable {
    /// The largest document number when the first page was read.
    let newest: Int64
    /// The newest time of what waited for the index then; the least number where nothing did.
    let latest: Int64
    /// How many of the ranking were shown, for when the last of them is gone.
    let shown: Int64
    /// The last entry that was shown.
    let last: Int64
  }

  enum Place: Sendable, Hashable, Codable {
    /// Among the entries that were not indexed when the first page was read: those with a larger document number, and
    /// those that wait.
    case recent(above: Int64, created: Int64, entry: Int64)
    /// Among the documents, newest first.
    case document(Int64)
    /// Behind an entry of a ranking. Scores shift with every entry that is indexed; the order hardly does.
    case ranked(Ranked)
  }

  let place: Place
}

extension SearchCursor: LosslessStringConvertible {
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
