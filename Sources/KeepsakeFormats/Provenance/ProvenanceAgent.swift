import Keepsake

/// Who had a part in something.
enum ProvenanceAgent: Hashable {
  case person(String)
  case model(String)
  /// A tool, or a step of the app.
  case tool(String)

  var name: String {
    switch self {
    case .person(let name), .model(let name), .tool(let name): name
    }
  }

  /// What it is called in its session, of letters that URLs may have.
  var identifier: String { "\(kind)-\(URLPath.encoded(name))" }

  /// A word for what kind it is.
  var kind: String {
    switch self {
    case .person: "person"
    case .model: "model"
    case .tool: "tool"
    }
  }

  /// Who wrote an entry, where that is known.
  init?(writerOf entry: Entry) {
    switch entry.kind {
    case .prompt: self = .person(entry.author ?? Self.somebody)
    case .reasoning, .response, .toolCalls:
      guard let model = entry.model else { return nil }
      self = .model(model)
    case .toolOutput:
      guard let tool = entry.tool else { return nil }
      self = .tool(tool)
    case .instructions, .event, .unknown:
      guard let author = entry.author else { return nil }
      self = .person(author)
    }
  }

  /// Who is meant where nobody is named.
  static let somebody = "user"
}
