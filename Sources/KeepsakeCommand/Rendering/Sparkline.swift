import Keepsake

/// The usage of days as a row of bars, with one bar for each day.
struct Sparkline {
  /// The first day of the row, which is later than the first day of usage if the line is too short.
  let first: String
  let last: String
  let bars: String

  private static let heights = Array(" ▁▂▃▄▅▆▇█")

  /// Makes the row; nil if there are not two different days.
  init?(_ shares: [Usage.Share], width: Int) {
    var tokens: [Int64: Double] = [:]
    for share in shares {
      guard let name = share.name, let day = Self.number(of: name) else { continue }
      tokens[day] = Double(share.total.input) + Double(share.total.output)
    }
    guard let last = tokens.keys.max(), let first = tokens.keys.min(), first < last else {
      return nil
    }
    let room = Int64(max(2, width - 22))
    let begin = max(first, last - room + 1)
    let most = (begin...last).map { tokens[$0] ?? 0 }.max() ?? 0
    bars = String(
      (begin...last).map { day in
        guard let count = tokens[day], count > 0, most > 0 else { return Self.heights[0] }
        // A day with any usage gets a visible bar.
        return Self.heights[max(1, Int((count / most * 8).rounded()))]
      })
    self.first = Self.name(of: begin)
    self.last = Self.name(of: last)
  }

  private static let day: Int64 = 86_400_000_000

  private static func number(of name: String) -> Int64? {
    RFC3339.microseconds("\(name)T00:00:00Z").map { $0 / day }
  }

  private static func name(of number: Int64) -> String {
    String(RFC3339.text(number * day).prefix { $0 != "T" })
  }
}
