import Foundation

@testable import Keepsake

/// Looks in a session that parted for what the hub has erased, or deleted with the whole session.
struct PartedRemains {
  /// Our session, as it was before.
  let ours: SessionRecords
  /// The same session as the hub has it; nil if it was deleted there.
  let theirs: SessionRecords?
  let common: Int
  let commonEntries: Int
  let parted: SessionCommit

  /// Returns what should not be there; nil if nothing is.
  var first: String? {
    for record in parted.records {
      switch record.kind {
      case .session where theirs == nil:
        if record["title"] != .null || record["tags"] != .null { return "the title or the tags" }
      case .entry, .revision:
        let position = record.int("position") ?? 0
        if record["body"] != .null, isErasedEntry(position) { return "what entry \(position) said" }
      case .attachment:
        if record.isErasedAttachment { continue }
        if let position = record.int("position"), isErasedEntry(position) {
          return "an attachment of entry \(position)"
        }
        if isErasedAttachment(record["label"]) { return "an attachment" }
      case .invocation:
        for column in ErasedElsewhere.columnsOfRuns
        where record[column] != .null && isErased(column, ofRun: record["id"]) {
          return "the \(column) of a run"
        }
      case .piece:
        guard record["bytes"] != .null, let first = record.int("position"),
          let count = record.int("entries")
        else { continue }
        if (first..<(first + count)).contains(where: isErasedEntry) { return "a piece of a file" }
      default: continue
      }
    }
    return nil
  }

  /// Entries that the session shares are another session's affair.
  private func isErasedEntry(_ position: Int) -> Bool {
    guard position < commonEntries, position >= ours.start else { return false }
    guard let theirs else { return true }
    return theirs.entries[position]?["body"] == .null && ours.entries[position]?["body"] != .null
  }

  private func isErasedAttachment(_ label: CopyRecord.Value) -> Bool {
    guard ours[.attachment].contains(where: { $0.recorded <= common && $0["label"] == label })
    else { return false }
    guard let theirs else { return true }
    return theirs[.attachment].contains { $0["label"] == label && $0.isErasedAttachment }
  }

  private func isErased(_ column: String, ofRun id: CopyRecord.Value) -> Bool {
    guard let run = ours[.invocation].first(where: { $0.recorded <= common && $0["id"] == id })
    else { return false }
    let isConcludedHere = ours.past.links(after: common).contains {
      $0.operation == Chain.Operation.conclude.rawValue && $0.position == run.recorded
    }
    if isConcludedHere, ErasedElsewhere.outputsOfRuns.contains(column) { return false }
    guard let theirs else { return true }
    return theirs[.invocation].contains {
      $0["id"] == id && $0[column] == .null
        && $0.int("chain.operation") == Chain.Operation.erase.rawValue
    }
  }
}
