@testable import Keepsake

extension StoreEvent {
  /// The event as a short text.
  var summary: String {
    switch self {
    case .created: "created"
    case .appended(_, let positions): "appended \(positions)"
    case .revised(_, let position): "revised \(position)"
    case .draft(_, let draft): "draft \(draft.text)"
    case .draftEnded(_, _, let position): "draftEnded \(position.map(String.init) ?? "-")"
    case .attached(_, let attachment): "attached \(attachment.label)"
    case .bound(_, let attachment): "bound \(attachment.label)"
    case .invoked(_, let run): run.outcome == nil ? "invoked" : "invoked ended"
    case .progress(_, _, let fraction, _): "progress \(fraction)"
    case .turn(_, let turn):
      turn.outcome == nil ? "turn \(turn.number)" : "turn \(turn.number) closed"
    case .renamed: "renamed"
    case .deleted: "deleted"
    case .changedElsewhere: "changedElsewhere"
    }
  }
}
