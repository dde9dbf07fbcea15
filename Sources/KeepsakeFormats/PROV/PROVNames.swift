#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Names the things in a PROV document: an artifact by its digest, and all else by its place in the session.
enum PROVNames {
  static let conversation = "session:conversation"

  /// The prefixes of names, with the URIs that they stand for.
  static func prefixes(of session: Session, forkOf parent: UUID?) -> JSON {
    var prefixes: [(String, JSON)] = [
      ("keepsake", "urn:keepsake:"), ("sha256", "sha256:"),
      ("session", .string("urn:uuid:\(session.id.text)#")),
    ]
    if let parent {
      prefixes.append(("parent", .string("urn:uuid:\(parent.text)#")))
    }
    return .object(prefixes)
  }

  static func name(of thing: ProvenanceThing) -> String {
    if case .artifact = thing { return thing.name }
    return "session:\(thing.name)"
  }

  static func name(of agent: ProvenanceAgent) -> String { "session:\(agent.identifier)" }

  static func name(of kind: ProvenanceActivity.Kind) -> String { "session:\(kind.name)" }
}
