#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

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

extension ProvenanceActivity.Kind {
  /// What it is called in its session.
  var name: String {
    switch self {
    case .answer(let position): "answer-\(position)"
    case .call(let call): "call-\(call.position).\(call.ordinal)"
    case .run(let id): "run-\(id.uuidString.lowercased())"
    }
  }
}

extension ProvenanceActivity {
  /// What a store knows of it beside what it has to do with other things.
  var facts: [(name: String, value: JSON?)] {
    let texts = [
      ("callID", callID), ("arguments", arguments), ("run", run?.id.uuidString.lowercased()),
      ("runBasis", run?.basis?.rawValue), ("outcome", run?.outcome?.rawValue),
      ("detail", run?.detail), ("implementation", run?.description.implementation),
      ("version", run?.description.version), ("model", run?.description.model),
      ("parameters", run?.description.parameters),
    ]
    return texts.map { ($0.0, $0.1.map(JSON.string)) }
  }
}
