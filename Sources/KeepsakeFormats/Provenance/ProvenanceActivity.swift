#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// An activity: a model's answer, a call of a tool, or a step of the app.
struct ProvenanceActivity {
  enum Kind {
    /// An answer, named by the position of its first entry.
    case answer(Int)
    case call(Entry.Attachment.CallReference)
    case run(UUID)
  }

  let kind: Kind
  let name: String?
  /// The model or tool that acted; nil where it is not known.
  var agent: ProvenanceAgent?
  /// The position of the first entry of the answer that asked for the activity.
  var askedBy: Int?
  /// The model whose answer asked for the activity; nil where it is not known.
  var asker: ProvenanceAgent?
  var arguments: String?
  var callID: String?
  /// The recorded run; nil where none was recorded.
  var run: Invocation?
  /// Whether the activity failed; nil where nothing says so.
  var hasFailed: Bool?
  var used: [ProvenanceLink] = []
  var generated: [ProvenanceLink] = []
}

extension ProvenanceActivity.Kind {
  /// The name of the activity, unique in its session.
  var name: String {
    switch self {
    case .answer(let position): "answer-\(position)"
    case .call(let call): "call-\(call.position).\(call.ordinal)"
    case .run(let id): "run-\(id.text)"
    }
  }
}

extension ProvenanceActivity {
  /// The facts about the activity that only a store knows, apart from its relations.
  var facts: [(name: String, value: JSON?)] {
    let texts = [
      ("callID", callID), ("arguments", arguments), ("run", run?.id.text),
      ("runBasis", run?.basis?.rawValue), ("outcome", run?.outcome?.rawValue),
      ("detail", run?.detail), ("implementation", run?.description.implementation),
      ("version", run?.description.version), ("model", run?.description.model),
      ("parameters", run?.description.parameters),
    ]
    return texts.map { ($0.0, $0.1.map(JSON.string)) }
  }
}
