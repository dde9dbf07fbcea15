/// What in a text makes a parser of Markdown slow, counted in one pass over its bytes.
struct MarkdownShape {
  /// How many containers a line opens: quotes and lists, which nest.
  static let depthLimit = 16
  /// Each is looked back to from each that closes.
  static let bracketLimit = 1500
  /// Each length of a run is searched for on its own.
  static let backtickLimit = 32
  /// Every row of a table is filled up to the width of its header.
  static let cellLimit = 20_000

  private(set) var depth = 0
  private(set) var brackets = 0
  private(set) var backticks = 0
  private(set) var lines = 1
  private var width = 0

  /// The most cells that a table in it can have.
  var cells: Int { width * lines }

  var isHarmless: Bool {
    depth <= Self.depthLimit && brackets <= Self.bracketLimit && backticks <= Self.backtickLimit
  }

  init(_ text: String) {
    var lineDepth = 0
    var lineWidth = 0
    var run = 0
    // Whether only containers have stood on this line so far.
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
        // What marks an item of a list has a space behind it; a rule and emphasis have not.
        if isMarked { lineDepth += 1 }
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "0")...UInt8(ascii: "9"): break
      default: isBeginning = false
      }
      isMarked = false
      depth = max(depth, lineDepth)
    }
  }
}
