#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import KeepsakeFiles

/// Scores texts that are not in the index as FTS5's bm25 would, so that both kinds of hits can be ranked together.
struct SearchRanking {
  private let terms: [(term: SearchQuery.Term, weight: Double)]
  /// The mean length of the indexed documents, in words.
  private let meanLength: Double

  init(_ query: SearchQuery, in db: Tables) throws {
    let (rows, words) = try Self.size(in: db)
    meanLength = rows == 0 ? 0 : words / rows
    let hits = try db.search.documents(with: query.required).map(Double.init)
    terms = zip(query.required, hits).map { term, hits in
      let weight = log((rows - hits + 0.5) / (hits + 0.5))
      // A term in more than half of the documents still counts a little, as in FTS5.
      return (term, weight > 0 ? weight : 1e-6)
    }
  }

  /// Returns the score of a text's tokens; more is better.
  func score(_ tokens: [UInt8]) -> Double {
    let length = Double(tokens.reduce(1) { $0 + ($1 == 0x20 ? 1 : 0) })
    let (k1, b) = (1.2, 0.75)
    let fullness = 1 - b + (meanLength > 0 ? b * length / meanLength : b)
    // The order of operations is that of FTS5, so that equal texts have equal scores to the last bit.
    return terms.reduce(0) { score, term in
      let frequency = Double(term.term.count(in: tokens))
      return score + term.weight * ((frequency * (k1 + 1)) / (frequency + k1 * fullness))
    }
  }

  /// Returns the numbers of documents and words in the index.
  ///
  /// FTS5 keeps them as variable-length integers ("The averages record", fts5.html).
  private static func size(in db: Tables) throws -> (rows: Double, words: Double) {
    guard let record = try db.search.averages() else { return (0, 0) }
    var numbers: [Double] = []
    var value: UInt64 = 0
    var length = 0
    for byte in record {
      length += 1
      // In a number of nine bytes, all eight bits of the ninth byte count.
      value = length == 9 ? value << 8 | UInt64(byte) : value << 7 | UInt64(byte & 0x7F)
      guard byte < 0x80 || length == 9 else { continue }
      numbers.append(Double(value))
      (value, length) = (0, 0)
    }
    return numbers.count >= 2 ? (numbers[0], numbers[1]) : (0, 0)
  }
}
