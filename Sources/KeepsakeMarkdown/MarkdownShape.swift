/// Counts in one pass over a text what makes a parser of Markdown slow.
struct MarkdownShape {
  /// The limit of nested quotes and lists that one line opens.
  static let depthLimit = 16
  /// The limit of opening brackets, all of which the parser may look at for each closing bracket.
  static let bracketLimit = 1500
  /// The limit of backticks in a run. The parser searches for the end of each length of run separately.
  static let backtickLimit = 32
  /// The limit of cells, because the parser fills up every row of a table to the width of its header.
  static let cellLimit = 20_000

  private(set) var depth = 0
  private(set) var brackets = 0
  private(set) var backticks = 0
  private(set) var lines = 1
  private var width = 0

  /// The largest number of cells that a table in the text can have.
  var cells: Int { width * lines }

  /// Whether all counts that make the parser slow are below their limits.
  var isHarmless: Bool {
    depth <= Self.depthLimit && brackets <= Self.bracketLimit && backticks <= Self.backtickLimit
  }

  init(_ text: String) {
    var lineDepth = 0
    var lineWidth = 0
    var run = 0
    // Whether the line so far consists of marks of containers.
    var isBeginning = true
    var isMarked = false
    for byte in text.utf8 {
      run = byte == UInt8(ascii: "`") ? run + 1 : 0
      backticks = max(backticks, run)
      switch byte {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        lines += 1
        lineDepth = 0
        lineWidth = 0
        isBeginning = true
      case UInt8(ascii: "["): brackets += 1
      case UInt8(ascii: "|"): lineWidth += 1
      default: break
      }
      width = max(width, lineWidth + 1)
      guard isBeginning else { continue }
      switch byte {
      case UInt8(ascii: ">"): lineDepth += 1
      case UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "."),
        UInt8(ascii: ")"):
        isMarked = true
        continue
      case UInt8(ascii: " "), UInt8(ascii: "\t"):
        // A space follows the mark of a list item, and does not follow the first character of a rule or of emphasis.
        if isMarked { lineDepth += 1 }
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "0")...UInt8(ascii: "9"): break
      default: isBeginning = false
      }
      isMarked = false
      depth = max(depth, lineDepth)
    }
  }
}
