#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// What things are called in a PROV document: an artifact by its digest, and all else by its place in the session.
enum PROVNames {
  static let conversation = "session:conversation"

  /// What the names' beginnings stand for.
  static func prefixes(of session: Session, forkOf parent: UUID?) -> JSON {
    var prefixes: [(String, JSON)] = [
      ("keepsake", "urn:keepsake:"), ("sha256", "sha256:"),
      ("session", .string("urn:uuid:\(session.id.uuidString.lowercased())#")),
    ]
    if let parent {
      prefixes.append(("parent", .string("urn:uuid:\(parent.uuidString.lowercased())#")))
    }
    return .object(prefixes)
  }

  static func name(of thing: ProvenanceThing) -> String {
    switch thing {
    case .artifact(let id): id.description
    case .attachment(let recording): "session:attachment-\(recording)"
    case .entry(let position): "session:entry-\(position)"
    }
  }

  static func name(of agent: ProvenanceAgent) -> String {
    "session:\(agent.kind)-\(URLPath.encoded(agent.name))"
  }

  static func name(of kind: ProvenanceActivity.Kind) -> String {
    switch kind {
    case .answer(let position): "session:answer-\(position)"
    case .call(let call): "session:call-\(call.position).\(call.ordinal)"
    case .run(let id): "session:run-\(id.uuidString.lowercased())"
    }
  }
}
