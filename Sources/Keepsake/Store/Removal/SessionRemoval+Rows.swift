import KeepsakeFiles

/// Removes the rows of a session that there can be many of: attachments, invocations and entries.
extension SessionRemoval {
  mutating func removeAttachments() throws {
    var found: [(number: Int64, entry: EntryID?)] = []
    // Another store may have erased an attachment before it deleted the session. A sync takes over both at once.
    let erasedLater =
      try isReplacing || db.joined.way() == nil
      ? [] : Set(db.commits.attachmentsErasedLater(of: number))
    try db.attachments.forEachUnshared(of: number) { row in
      unused.add(row.artifact)
      if erasedLater.contains(row.recorded), let artifact = row.artifact,
        let digest = try db.artifacts.digest(of: artifact)
      {
        erased.insert(digest)
      }
      found.append((row.number, row.entry))
      freed.addBytes(row.size)
      room.take(bytes: row.isInRow ? row.size : 0)
      if row.isListed { removed.attachments += 1 }
      try archive(
        operation: row.operation, change: row.change, position: row.recorded, digest: row.digest)
      return room.isLeft
    }
    for (attachment, entry) in found {
      for input in try db.attachments.inputs(of: attachment) { unused.add(input) }
      if let entry, entry.session == number, entry.rawValue < firstUnshared {
        try Trace.index.mark(in: db)
        try SearchIndex.changing(entry, in: db) { try db.attachments.delete(attachment) }
      } else {
        try db.attachments.delete(attachment)
      }
    }
    // Attachments that a fork shows stay. So the cover of no listed session is among the removed ones.
    if isShared, !found.isEmpty { try db.sessions.forgetLostCovers(below: number) }
  }

  mutating func removeInvocations() throws {
    var numbers: [Int64] = []
    try db.invocations.forEachRemovable(of: number, from: isShared ? firstUnshared : 0) { row in
      numbers.append(row.number)
      room.take(bytes: row.size)
      try archive(
        operation: row.operation, change: row.change, position: row.recorded, digest: row.digest)
      return room.isLeft
    }
    for invocation in numbers { try db.invocations.delete(invocation) }
  }

  /// Removes entries from the end, so that the positions of what is left stay dense.
  mutating func removeEntries() throws {
    let last = EntryID.all(of: number).upperBound
    // A fork may share as many entries as a session can have.
    guard firstUnshared <= last.rawValue else { return }
    var first: EntryID?
    try db.entries.removeKeys(ofEntriesIn: EntryID(rawValue: firstUnshared)...last) { row in
      first = row.id
      removed.entries += 1
      // The record that the entry was imported from says about the same.
      for bytes in [row.body, row.revisions] {
        freed.addBytes(bytes)
        room.take(rows: 0, bytes: bytes)
        room.take(rows: 0, bytes: bytes)
      }
      room.take()
      try archive(
        operation: row.operation, change: row.change, position: row.id.position,
        digest: row.digest)
      return room.isLeft
    }
    guard let first else { return }
    try SourceRemoval.erase(first...last, leaving: &unused, in: db)
    try SearchIndex.remove(session: number, from: first.position, in: db)
    try db.entries.delete(first...last, of: number)
  }
}
