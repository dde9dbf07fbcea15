import Keepsake

/// A person, a model or a tool that had a part in something.
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

  /// The agent's identifier in its session, percent-encoded for URLs.
  var identifier: String { "\(kind)-\(URLPath.encoded(name))" }

  /// A word for the kind of agent.
  var kind: String {
    switch self {
    case .person: "person"
    case .model: "model"
    case .tool: "tool"
    }
  }

  /// The writer of an entry; nil where the writer is not known.
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

  /// The name of a person whose name is not known.
  static let somebody = "user"
}
