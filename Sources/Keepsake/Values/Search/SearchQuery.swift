/// A search for words that an entry must all contain, in any order.
///
/// - `blue cup` finds both words; letter case and accents don't matter;
/// - `"blue cup"` finds the words side by side; a missing closing quote is forgiven;
/// - `ban*` finds words with this beginning; without `*` a word must match as a whole;
/// - `-red` and `-"red cup"` exclude entries with the word or phrase. A hyphen inside a word only separates two words.
///
/// There are no other operators: `OR`, `AND` and `NEAR` are words like any other. Chinese, Japanese and Thai need no spaces: 藍色
/// is found inside running text.
public struct SearchQuery: Sendable, Hashable {
  /// The most words in a query.
  static let wordLimit = 256

  /// A word or a phrase, as folded tokens.
  struct Term: Sendable, Hashable {
    /// The tokens that must stand side by side, joined by spaces.
    let tokens: String
    let isPrefix: Bool
  }

  /// The query as it was written.
  public let text: String

  let required: [Term]
  let excluded: [Term]

  /// The query that every entry matches, for lists of the entries of a scope.
  package static let everything = SearchQuery(text: "", required: [], excluded: [])

  private init(text: String, required: [Term], excluded: [Term]) {
    self.text = text
    self.required = required
    self.excluded = excluded
  }

  /// Tells whether every entry matches, because no word is asked for.
  var isEverything: Bool { required.isEmpty && excluded.isEmpty }

  /// Reads a query; signs without a letter or digit are ignored, so that there are no syntax errors.
  ///
  /// - Parameter text: The query as a person writes it.
  /// - Throws: A ``SearchQueryError`` if no word to search for is left, or there are more than 256 words.
  public init(_ text: String) throws(SearchQueryError) {
    self.text = text
    var reader = QueryReader(text)
    var required: [Term] = []
    var excluded: [Term] = []
    var words = 0
    while let (isExcluded, term) = reader.next() {
      words += term.tokens.utf8.reduce(1) { $0 + ($1 == 0x20 ? 1 : 0) }
      if isExcluded { excluded.append(term) } else { required.append(term) }
    }
    guard words <= Self.wordLimit else {
      throw SearchQueryError(
        .tooLong,
        "Can't search for \(words) words: the most is \(Self.wordLimit). Search for a part of them."
      )
    }
    guard !required.isEmpty else {
      let text = text.prefix(80)
      throw excluded.isEmpty
        ? SearchQueryError(
          .empty, "Can't search for '\(text)': it has no letter or digit. Give a word to look for.")
        : SearchQueryError(
          .onlyExclusions,
          "Can't search for '\(text)': it only says what to leave out. Add a word to look for.")
    }
    self.required = required
    self.excluded = excluded
  }

  /// The query for FTS5, with every token in quotes, so that no text of a person is syntax.
  var ftsExpression: String {
    let wanted = required.map(\.ftsString).joined(separator: " AND ")
    guard !excluded.isEmpty else { return wanted }
    return "(\(wanted)) NOT (\(excluded.map(\.ftsString).joined(separator: " OR ")))"
  }

  /// Tells whether a text matches the query, with the same result as the index gives.
  func matches(_ text: String) -> Bool {
    matches(tokens: SearchText.tokens(of: text))
  }

  /// Tells whether a text with the given tokens matches the query.
  func matches(tokens: [UInt8]) -> Bool {
    let tokens = [0x20] + tokens + [0x20]
    return required.allSatisfy { $0.isFound(in: tokens) }
      && !excluded.contains { $0.isFound(in: tokens) }
  }
}

extension SearchQuery.Term {
  /// The term for FTS5.
  var ftsString: String { "\"\(tokens)\"\(isPrefix ? " *" : "")" }

  /// Counts the occurrences of the term in tokens that are joined by single spaces.
  func count(in tokens: [UInt8]) -> Int {
    occurrences(in: [0x20] + tokens + [0x20], atMost: .max)
  }

  /// Tells whether the term occurs in tokens with a space before and after each.
  fileprivate func isFound(in text: [UInt8]) -> Bool {
    occurrences(in: text, atMost: 1) > 0
  }

  private func occurrences(in text: [UInt8], atMost limit: Int) -> Int {
    let pattern = [0x20] + Array(tokens.utf8) + (isPrefix ? [] : [0x20])
    guard text.count >= pattern.count else { return 0 }
    var found = 0
    for start in 0...text.count - pattern.count where text[start] == 0x20 {
      var length = 1
      while length < pattern.count, text[start + length] == pattern[length] { length += 1 }
      if length == pattern.count { found += 1 }
      if found == limit { break }
    }
    return found
  }
}

/// Reads a query term by term.
private struct QueryReader {
  private var rest: Substring.UnicodeScalarView

  init(_ text: String) {
    rest = Substring(text).unicodeScalars
  }

  /// Returns the next term that has a token; nil at the end.
  mutating func next() -> (isExcluded: Bool, term: SearchQuery.Term)? {
    while true {
      rest = rest.drop { $0.properties.isWhitespace }
      guard !rest.isEmpty else { return nil }
      let isExcluded = rest.first == "-"
      if isExcluded { rest.removeFirst() }
      let words: Substring.UnicodeScalarView
      var isPrefix = false
      if let quote = rest.first, isQuote(quote) {
        rest.removeFirst()
        words = rest.prefix { !isQuote($0) }
        rest = rest[words.endIndex...].dropFirst()
        isPrefix = rest.first == "*"
      } else {
        words = rest.prefix { !$0.properties.isWhitespace && !isQuote($0) }
        rest = rest[words.endIndex...]
        isPrefix = words.last == "*"
      }
      let tokens = SearchText.indexed(String(words))
      if !tokens.isEmpty {
        return (isExcluded, SearchQuery.Term(tokens: tokens, isPrefix: isPrefix))
      }
    }
  }

  /// Tells whether a character is a straight quote, or one of the quotes that phones put in its place.
  private func isQuote(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\"" || scalar == "\u{201C}" || scalar == "\u{201D}" || scalar == "\u{201E}"
  }
}
