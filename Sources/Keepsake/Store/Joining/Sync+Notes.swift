#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

extension HubNote {
  /// The text of a note of an erasing, of which the id says all.
  static let erased = "erased"
}

/// Telling at the hub that this store was there, and that it erased something.
///
/// Whoever erases leaves a note of that under a new id. A store's own note names the notes of erasings that were there when the store
/// began to take over everything. So a store whose note does not name all of them may still have what was erased, whatever the clocks say.
extension Sync {
  /// The time in microseconds after which a store leaves its note again, although the note says the same.
  private static let noteAge: Int64 = 3_600_000_000

  /// Reads of which erasings the hub has notes.
  func readErasings() async throws {
    let ids = Set(try await hub.notes(.erasing).map(\.id))
    erasings.withLock { $0 = ids }
  }

  /// Leaves a note of an erasing, and removes the notes of earlier ones: a store that has not seen those has not seen this one, either.
  ///
  /// A note that this store has not seen stays, because the erasing of which it speaks may not be here.
  func noteErasing() async throws {
    let id = UUID()
    try await hub.leave(HubNote.erased, as: .erasing, id)
    let earlier = erasings.withLock { seen in
      defer { seen = [id] }
      return seen
    }
    try await hub.removeNotes(.erasing, Array(earlier))
  }

  /// Leaves this store's note, unless the hub has the same one and it is not old.
  func leaveNote() async throws {
    guard let joined = try handle.read({ try $0.joined.row() }) else { return }
    let isInStep = report.failed.isEmpty && report.aside.isEmpty
    let last = joined.note.flatMap(PeerNote.init(text:))
    let note = PeerNote(
      name: joined.name ?? PeerNote.machine, isShared: joined.isShared,
      erasings: isInStep ? erasings.withLock { $0 } : last?.erasings ?? []
    ).text
    let now = handle.now()
    if note == joined.note, let noted = joined.noted, noted <= now, noted > now - Self.noteAge {
      return
    }
    // What the store came for is done. Without the note others only believe that it has not been there.
    do { try await hub.leave(note, as: .peer, joined.peer) } catch { return }
    try await handle.writeUncancelled { change in
      try change.db.joined.update(note: note, noted: now)
    }
  }
}
