import Keepsake

/// The graph of an audit in a language that other programs draw.
///
/// Points are named by numbers, so that text of a conversation occurs only in labels, where it is escaped.
struct GraphPage {
  /// The languages in which graphs are written.
  enum Language: String, CaseIterable {
    /// The language of Graphviz.
    case dot
    case mermaid
  }

  let graph: Audit.Graph

  /// The most columns of a line in a label.
  private static let width = 60

  func text(_ language: Language) -> String {
    switch language {
    case .dot: dot
    case .mermaid: mermaid
    }
  }

  private static func lines(_ point: Audit.Graph.Point) -> [String] {
    let name =
      switch point.kind {
      case .session, .prompt, .artifact: point.kind.rawValue
      case .entry, .maker, .attachment: ""
      }
    return ([name] + point.lines).filter { !$0.isEmpty }.map {
      Terminal.oneLine($0.prefix(4 * width)).fitting(width)
    }
  }

  // MARK: - Graphviz

  private var dot: String {
    var text = """
      digraph audit {
        rankdir=LR;
        node [fontname="sans-serif"];

      """
    for (index, point) in graph.points.enumerated() {
      let label = Self.lines(point).map(Self.escapedForDot).joined(separator: #"\n"#)
      text += "  n\(index) [shape=\(Self.shape(point.kind)) label=\"\(label)\"];\n"
    }
    for arrow in graph.arrows {
      let label = arrow.what.map { " [label=\"\(Self.escapedForDot($0))\"]" } ?? ""
      text += "  n\(arrow.from) -> n\(arrow.to)\(label);\n"
    }
    return text + "}\n"
  }

  private static func shape(_ kind: Audit.Graph.Point.Kind) -> String {
    switch kind {
    case .session: "folder"
    case .prompt, .entry: "note"
    case .maker: "component"
    case .attachment: "box"
    case .artifact: "ellipse"
    }
  }

  /// Escapes text inside of quotes, where a backslash begins an escape, and an ampersand the name of a character.
  private static func escapedForDot(_ text: String) -> String {
    text.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#).replacing("&", with: "&amp;")
  }

  // MARK: - Mermaid

  private var mermaid: String {
    var text = "flowchart LR\n"
    for (index, point) in graph.points.enumerated() {
      let label = Self.lines(point).map(Self.escapedForMermaid).joined(separator: "<br/>")
      let (open, close) = Self.brackets(point.kind)
      text += "  n\(index)\(open)\"\(label)\"\(close)\n"
    }
    for arrow in graph.arrows {
      let label = arrow.what.map { "|\"\(Self.escapedForMermaid($0))\"|" } ?? ""
      text += "  n\(arrow.from) -->\(label) n\(arrow.to)\n"
    }
    return text
  }

  private static func brackets(_ kind: Audit.Graph.Point.Kind) -> (String, String) {
    switch kind {
    case .session: ("[[", "]]")
    case .prompt, .entry: (">", "]")
    case .maker: ("{{", "}}")
    case .attachment: ("[", "]")
    case .artifact: ("([", "])")
    }
  }

  /// Replaces every character that Mermaid, Markdown or HTML might interpret with its number.
  private static func escapedForMermaid(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      let isPlain =
        !scalar.isASCII || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        || " .,-/".unicodeScalars.contains(scalar)
      if isPlain { result.unicodeScalars.append(scalar) } else { result += "#\(scalar.value);" }
    }
    return result
  }
}
