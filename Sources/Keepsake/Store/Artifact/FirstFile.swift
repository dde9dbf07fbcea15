import KeepsakeFiles

/// A note that a file of a store's first artifact is put into place and has no row yet.
///
/// The note is an empty file in `incoming/` whose name contains the digest.
enum FirstFile {
  private static let beginning = "first-"

  static func name(_ digest: SHA256Digest) -> String { beginning + digest.hex }

  /// Returns the digest that a note's name contains; nil for any other file name.
  static func digest(ofName name: String) -> SHA256Digest? {
    guard name.hasPrefix(beginning),
      let digest = SHA256Digest(hex: String(name.dropFirst(beginning.count))),
      self.name(digest) == name
    else { return nil }
    return digest
  }
}

extension Artifacts {
  /// Tells whether the store had no artifact before a transaction that keeps one. The answer counts until an artifact is
  /// committed.
  ///
  /// This is asked before the transaction adds its first row, even the row of an artifact without a file: with that row the
  /// store would no longer look empty to the files that the same transaction puts into place.
  func isKeepingFirst(in change: Change) throws -> Bool {
    let isKeepingFirst = try keepsFirst.withLock { keepsFirst throws in
      if let keepsFirst { return keepsFirst }
      let isEmpty = try change.db.artifacts.isEmpty()
      keepsFirst = isEmpty
      return isEmpty
    }
    if isKeepingFirst { change.afterCommit { self.keepsFirst.withLock { $0 = false } } }
    return isKeepingFirst
  }

  /// Notes, in a store without artifacts, that a file is about to be put into place, until its row is committed.
  ///
  /// If the process is killed in between, the note tells that nobody needs the file. Without a note, a file in a store whose
  /// database names none may have been kept by a database that was lost.
  func noteFirstFile(_ digest: SHA256Digest, in change: Change) throws {
    let notes = try folder(StoreLayout.incoming)
    let name = FirstFile.name(digest)
    _ = try notes.openFile(name, for: .creating(exclusive: false))
    // A note that can't be removed does no harm, because the file has a row by then and a sweep removes the note.
    change.ifItFails { try? notes.unlink(name) }
    change.afterCommit { try? notes.unlink(name) }
  }
}
