/// The possible meanings of an abbreviated name, as a message lists them.
struct Candidates {
  /// The most meanings that are listed.
  static let limit = 5

  private let items: [(name: String, what: String)]
  private let count: Int

  /// Creates a list of meanings.
  ///
  /// - Parameters:
  ///   - items: The first meanings, each with its whole name and a description.
  ///   - count: The number of all meanings.
  init(_ items: [(name: String, what: String)], of count: Int) {
    self.items = Array(items.prefix(Self.limit))
    self.count = count
  }

  /// The list as text, such as `3f2a90cd Fruit, 3f2a1b2c Bread and 4 more`.
  var text: String {
    let names = items.map(\.name)
    var length = 8
    while length < 64, Set(names.map { $0.prefix(length) }).count < names.count { length += 1 }
    let list = items.map { item in
      let words = item.what.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      let what = words.count > 40 ? "\(words.prefix(39))…" : words
      return "\(item.name.prefix(length))\(what.isEmpty ? "" : " ")\(what)"
    }
    let rest = count - items.count
    return list.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}
