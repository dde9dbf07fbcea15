/// The facts about a language by which its code is coloured. They are few: a page helps to read code, and compiles none.
struct CodeLanguage: Sendable {
  /// The ways to read code.
  enum Reading: Sendable {
    /// Words, strings and comments.
    case words
    /// Elements with attributes, as in HTML and XML.
    case markup
    /// Lines that are new and gone.
    case patch
  }

  /// How strings are written.
  struct Quote: Sendable {
    let mark: [UInt8]
    /// Whether the string may go over lines.
    let isLong: Bool
    /// Whether a backslash takes the next character's meaning away.
    let hasEscapes: Bool

    init(_ mark: StaticString, isLong: Bool = false, hasEscapes: Bool = true) {
      self.mark = Array("\(mark)".utf8)
      self.isLong = isLong
      self.hasEscapes = hasEscapes
    }
  }

  /// The rules that a few languages have and others lack.
  struct Traits: OptionSet, Sendable {
    let rawValue: Int

    /// Case makes no difference in keywords.
    static let caseless = Self(rawValue: 1 << 0)
    /// Words that begin with a capital letter are types.
    static let capitalTypes = Self(rawValue: 1 << 1)
    /// A comment begins a line, or stands after a blank.
    static let spacedComments = Self(rawValue: 1 << 2)
    /// A string before a colon is a key.
    static let stringKeys = Self(rawValue: 1 << 3)
    /// A name that begins a line, or follows a dash, and stands before a colon or an equals sign is a key.
    static let lineKeys = Self(rawValue: 1 << 4)
    /// A name before a colon, within braces, is a property.
    static let properties = Self(rawValue: 1 << 5)
    /// A dollar sign begins a variable.
    static let variables = Self(rawValue: 1 << 6)
    /// A slash may begin a pattern.
    static let patterns = Self(rawValue: 1 << 7)
    /// An apostrophe begins a character, or else the name of a lifetime.
    static let lifetimes = Self(rawValue: 1 << 8)
    /// A backslash and a bracket begin code in a string.
    static let interpolation = Self(rawValue: 1 << 9)
    /// A hash sign begins a line for the preprocessor.
    static let directives = Self(rawValue: 1 << 10)
    /// An at sign begins an attribute or a rule.
    static let attributes = Self(rawValue: 1 << 11)
    /// Names may have dashes in them.
    static let dashes = Self(rawValue: 1 << 12)
  }

  var reading = Reading.words
  var lineComments: [[UInt8]] = []
  var blockComment: (begin: [UInt8], end: [UInt8])?
  /// The quotes, the longer ones first.
  var quotes: [Quote] = []
  var keywords: Set<String> = []
  var traits: Traits = []

  init(_ reading: Reading) { self.reading = reading }

  init(
    lineComments: [String] = [], hasBlockComments: Bool = false, quotes: [Quote],
    keywords: String = "", traits: Traits = []
  ) {
    self.lineComments = lineComments.map { Array($0.utf8) }
    if hasBlockComments { blockComment = (Array("/*".utf8), Array("*/".utf8)) }
    self.quotes = quotes
    self.keywords = Set(keywords.split(separator: " ").map(String.init))
    self.traits = traits
  }
}
