/// An error in the arguments, described in one sentence.
struct UsageError: Error {
  let message: String
  /// The command whose help is suggested; nil for the general help.
  var command: String?
}

extension UsageError {
  /// Returns a question with the known word that was probably meant; empty if no known word is similar.
  static func suggestion(for word: String, among known: [String]) -> String {
    let near = known.map { (word: $0, distance: distance(word, $0)) }
      .min { $0.distance < $1.distance }
    guard let near, near.distance <= max(1, word.count / 3) else { return "" }
    return " Did you mean '\(near.word)'?"
  }

  /// Returns how many letters must be added, removed, changed or swapped with a neighbour.
  private static func distance(_ first: String, _ second: String) -> Int {
    let a = Array(first)
    let b = Array(second)
    var rows = [Array(0...b.count)]
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
