/// Where a page of hits ended.
///
/// It is good for the query, scope and order that gave it. Entries that are appended or indexed between two pages
/// neither repeat what was shown nor push anything out.
public struct SearchCursor: Sendable, Hashable, Codable {
  /// A hit of a ranked search that was not shown yet.
  struct Ranked: Sendable, Hashable, Codable {
    let entry: Int64
    let score: Double
  }

  enum Place: Sendable, Hashable, Codable {
    /// Among the entries that were not indexed when the first page was read: those with a larger document number, and
    /// those that wait.
    case recent(above: Int64, created: Int64, entry: Int64)
    /// Among the documents, newest first.
    case document(Int64)
    /// The rest of a ranking. It is kept whole, because scores shift with every entry that is indexed.
    case ranking([Ranked])
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
    case ("s", let count) where count.isMultiple(of: 2):
      place = .ranking(
        stride(from: 0, to: count, by: 2).map {
          Ranked(
            entry: numbers[$0],
            score: Double(bitPattern: UInt64(bitPattern: numbers[$0 + 1])))
        })
    default: return nil
    }
  }

  public var description: String {
    let (name, numbers): (String, [Int64]) =
      switch place {
      case .recent(let above, let created, let entry): ("r", [above, created, entry])
      case .document(let number): ("d", [number])
      case .ranking(let rest):
        ("s", rest.flatMap { [$0.entry, Int64(bitPattern: $0.score.bitPattern)] })
      }
    return ([name] + numbers.map { String($0, radix: 36) }).joined(separator: ".")
  }
}
