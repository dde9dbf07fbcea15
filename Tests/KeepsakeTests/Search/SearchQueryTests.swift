import KeepsakeTestSupport
import Testing

@testable import Keepsake

@Suite struct `Search queries` {
  @Test(arguments: [
    ("банан", "Бананы", false), ("банан*", "Бананы", true), ("ete", "un été", true),
    ("été", "un ete", true), ("藍色", "我看見藍色的海", true), ("夢", "我昨天的夢很長", true),
    ("色藍", "我看見藍色的海", false), ("STRASSE", "Straße", true), ("full", "Ｆｕｌｌ", true),
    ("ｆｕｌｌ", "a full one", true), ("blue cup", "a cup, and blue", true),
    ("\"blue cup\"", "a cup, and blue", false), ("\"blue cup\"", "a Blue\nCup", true),
    ("“blue cup", "the blue cup", true), ("cup -blue", "a blue cup", false),
    ("cup -blue", "a red cup", true), ("cup -\"blue cup\"", "blue red cup", true),
    ("cup -blu*", "bluish cup", false), ("image_1", "see image_1.", true),
    ("image_1", "see image_12.", false), ("image_1*", "see image_12.", true),
    ("well-known", "a well known thing", true), ("\"blue cu\"*", "the blue cup", true),
    ("a OR b", "a", false), ("a OR b", "a or b", true), ("藍*", "藍色", true),
    ("gpt的", "用GPT的人", true), ("\" \" cup * -", "cup", true), ("body : x", "body x", true),
  ])
  func `what is found`(query: String, text: String, isFound: Bool) throws {
    let query = try SearchQuery(query)
    #expect(query.matches(text) == isFound)
    for tokenizer in [SearchText.tokenizer, "unicode61 remove_diacritics 0"] {
      let table = try FullTextTable(tokenizer: tokenizer)
      try table.insert([text])
      #expect(try table.search(query) == (isFound ? [0] : []), "\(tokenizer)")
    }
  }

  @Test(arguments: ["", "  ", "\"\"", "*", "-", "🍌", "\" . \" -\"…\""])
  func `nothing to look for is refused`(text: String) throws {
    let error = try #require(throws: SearchQueryError.self) { try SearchQuery(text) }
    #expect(error.code == .empty)
    #expect(error.message.contains("Give a word"))
  }

  @Test func `exclusions alone are refused`() throws {
    let error = try #require(throws: SearchQueryError.self) {
      try SearchQuery("-blue -\"red cup\"")
    }
    #expect(error.code == .onlyExclusions)
    #expect("\(error)".hasPrefix("Can't search for '-blue -\"red cup\"': "))
  }

  @Test func `as many words as allowed are searched for, and one more is refused`() throws {
    let words = (0..<SearchQuery.wordLimit).map { "w\($0)" }
    let table = try FullTextTable()
    try table.insert([words.joined(separator: " ")])
    #expect(try table.search(SearchQuery(words.joined(separator: " "))) == [0])
    let exclusions = words.dropFirst().map { "-x\($0)" }.joined(separator: " ")
    #expect(try table.search(SearchQuery("w0 " + exclusions)) == [0])
    let error = try #require(throws: SearchQueryError.self) {
      try SearchQuery((words + ["more"]).joined(separator: " "))
    }
    #expect(error.code == .tooLong)
  }

  @Test(arguments: [
    "\"", "a\"b", "(a", "a)", "a^b", "NEAR(a b)", "body:a", "a + b", "{a b}:c", "';--",
  ])
  func `nothing that is written is syntax`(text: String) throws {
    let table = try FullTextTable()
    try table.insert(["a b"])
    guard let query = try? SearchQuery(text) else { return }
    _ = try table.search(query)
  }

  @Test func `a scan and the index give the same answers`() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("Search seed: \(seed)")
    var random = SeededGenerator(seed: seed)
    let alphabet: [String] = [
      "a", "b", "A", "É", "e\u{301}", "ß", "s", "1", "_", "-", " ", " ", " ", "\n", "藍", "色", "ｶ",
      "ﾞ",
      "ガ", "한", "\u{1112}", "\u{1161}", "й", "и", "\u{306}", "ё", "हि", "न्", "ก", "ा", "𠀀",
      "\u{2B820}",
      "𞤀", "🍌", "\"", "*", "(", "^", ":", "\u{0}", "\u{FDFA}", "½", "㍿", "ı", "\u{AD}",
    ]
    func text(_ length: ClosedRange<Int>) -> String {
      (0..<Int.random(in: length, using: &random))
        .map { _ in alphabet.randomElement(using: &random) ?? "" }.joined()
    }
    var found = 0
    var rounds = 0
    // As many as it takes for something to be found, should chance ask for little of what is there.
    while rounds < 20 || found <= 500, rounds < 1000 {
      rounds += 1
      let texts = (0..<40).map { _ in text(0...40) }
      let table = try FullTextTable()
      try table.insert(texts)
      for _ in 0..<50 {
        let source = text(1...6)
        guard let query = try? SearchQuery(source) else { continue }
        let scanned = Set(texts.indices.filter { query.matches(texts[$0]) })
        #expect(try table.search(query) == scanned, "seed \(seed): \(source.debugDescription)")
        found += scanned.count
      }
    }
    #expect(found > 500, "seed \(seed)")
  }
}
