#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Something that came from somewhere: bytes, an attachment that has none, or an entry.
enum ProvenanceThing: Hashable {
  case artifact(Artifact.ID)
  /// By its number in the order of recording.
  case attachment(Int64)
  /// By its position.
  case entry(Int)

  init(_ attachment: Entry.Attachment) {
    self = attachment.artifact.map { .artifact($0.id) } ?? .attachment(attachment.recording)
  }

  init(_ input: Entry.Attachment.Input) {
    switch input {
    case .artifact(let id): self = .artifact(id)
    case .entry(let position): self = .entry(position)
    }
  }
}

/// That one thing has to do with another, and how sure that is.
struct ProvenanceLink {
  let thing: ProvenanceThing
  let basis: Entry.Attachment.Basis
}

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

/// Something that was done: a model answered, a tool was called, or a step of the app ran.
struct ProvenanceActivity {
  enum Kind {
    /// By the position of its first entry.
    case answer(Int)
    case call(Entry.Attachment.CallReference)
    case run(UUID)
  }

  let kind: Kind
  let name: String?
  /// Who did it, where that is known.
  var agent: ProvenanceAgent?
  /// The answer that asked for it.
  var askedBy: Int?
  /// The model that gave that answer, where it is known.
  var asker: ProvenanceAgent?
  var arguments: String?
  var callID: String?
  /// Where a run was recorded.
  var run: Invocation?
  /// Whether it failed, or did not; nil where nobody said.
  var hasFailed: Bool?
  var used: [ProvenanceLink] = []
  var generated: [ProvenanceLink] = []
}
