import KeepsakeMarkdown

/// The place of a walk in a Markdown text.
struct MarkdownWalk {
  /// The depth below which elements are left out, while their text is kept.
  private static let depthLimit = 24

  /// An open link.
  enum Link {
    /// A link to another site or within the page, with its URL in the former case.
    case open(String?)
    /// A link that leads nowhere, with its destination, which is written as text.
    case refused(String)
  }

  struct Image {
    let destination: String
    var description = ""
    var depth = 0
  }

  /// Whether any of the text is read from right to left. Nothing needs a direction where none is.
  let isMixed: Bool

  private var containers: [(node: MarkdownNode, isWritten: Bool)] = []
  /// The links that are written and still open.
  var links: [Link] = []
  /// The text of the open link so far.
  var linkText = ""
  var image: Image?
  /// Whether the body of the table has begun.
  var hasBody = false

  init(isMixed: Bool) { self.isMixed = isMixed }

  var isInLink: Bool { !links.isEmpty }

  /// The direction of a block: the browser finds it by the first letter that has one.
  var direction: String? { isMixed ? "auto" : nil }

  /// The direction of a paragraph. A list has one direction, so that its numbers stand on one side, and a quote too.
  var directionOfParagraph: String? {
    switch containers.dropLast().last?.node {
    case .item, .quote: nil
    default: direction
    }
  }

  /// Notes the beginning of an element; says whether the element is written.
  mutating func enter(_ node: MarkdownNode) -> Bool {
    var isWritten = containers.count < Self.depthLimit
    switch node {
    case .paragraph where isInTightList: isWritten = false
    // Links do not nest: cmark-gfm produces no nested ones, and browsers would split them.
    case .link where isInLink: isWritten = false
    case .table, .row, .cell:
      // A part of a table is written only together with the table.
      if case .table = node {} else { isWritten = containers.last?.isWritten ?? false }
    default: break
    }
    containers.append((node, isWritten))
    return isWritten
  }

  mutating func leave() -> Bool { containers.popLast()?.isWritten ?? false }

  private var isInTightList: Bool {
    guard containers.count >= 2, case .item = containers[containers.count - 1].node,
      case .list(_, let isTight) = containers[containers.count - 2].node
    else { return false }
    return isTight
  }
}
