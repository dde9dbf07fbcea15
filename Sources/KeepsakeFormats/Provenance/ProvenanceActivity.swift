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
