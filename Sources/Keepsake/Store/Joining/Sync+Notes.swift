#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

extension HubNote {
  /// The text of an erasing note. Only the note's id carries a meaning.
  static let erased = "erased"
}

/// Notes that a store leaves at the hub: that it used the hub, and that it erased something.
///
/// A store that erases or deletes something leaves an erasing note with a new id. Each store's own note names the erasing notes that the
/// hub had when the store began its last complete sync. A store whose note does not name all erasing notes may still have something that
/// was erased. No clock is compared for that.
extension Sync {
  /// The time in microseconds after which a store leaves an unchanged note again, so that the note's time stays true.
  private static let noteAge: Int64 = 3_600_000_000

  /// Reads which erasing notes the hub has.
  func readErasings() async throws {
    let ids = Set(try await hub.notes(.erasing).map(\.id))
    erasings.withLock { $0 = ids }
  }

  /// Leaves an erasing note, and removes the earlier erasing notes that this store has seen. A store that has not seen an earlier note has
  /// not seen the new note, either.
  ///
  /// An erasing note that this store has not seen stays at the hub, because this store may still have what that note is about.
  func noteErasing() async throws {
    let id = UUID()
    try await hub.leave(HubNote.erased, as: .erasing, id)
    let earlier = erasings.withLock { seen in
      defer { seen = [id] }
      return seen
    }
    try await hub.removeNotes(.erasing, Array(earlier))
  }

  /// Leaves this store's own note, unless the hub has the same note and the note is less than an hour old.
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
    // The sync is complete without the note. Where the note is missing, other stores list this store with an older time.
    do { try await hub.leave(note, as: .peer, joined.peer) } catch { return }
    try await handle.writeUncancelled { change in
      try change.db.joined.update(note: note, noted: now)
    }
  }
}
