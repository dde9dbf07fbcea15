#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The streaming drafts and the running invocations of a session.
struct LiveState {
  var drafts: [Draft.Snapshot] = []
  private(set) var runs: [Run] = []

  /// A run that has not ended, with the progress that it reported.
  struct Run {
    var invocation: Invocation
    var fraction: Double?
    var note: String?

    var id: UUID { invocation.id }
  }

  mutating func update(_ draft: Draft.Snapshot) {
    guard let index = drafts.firstIndex(where: { $0.id == draft.id }) else {
      return drafts.append(draft)
    }
    // A draft that streams in this process may be ahead of its stored text.
    if draft.isInterrupted || draft.text.utf8.count >= drafts[index].text.utf8.count {
      drafts[index] = draft
    }
  }

  /// Updates a run, and returns whether it has just ended.
  mutating func update(_ invocation: Invocation) -> Bool {
    let index = runs.firstIndex { $0.id == invocation.id }
    guard invocation.outcome == nil else {
      guard let index else { return false }
      runs.remove(at: index)
      return true
    }
    if let index {
      runs[index].invocation = invocation
    } else {
      runs.append(Run(invocation: invocation))
    }
    return false
  }

  mutating func update(_ run: UUID, _ fraction: Double, _ note: String?) {
    guard let index = runs.firstIndex(where: { $0.id == run }) else { return }
    runs[index].fraction = fraction
    runs[index].note = note
  }
}
