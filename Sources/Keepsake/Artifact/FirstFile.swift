import KeepsakeFiles
import KeepsakeSQLite

/// The note that the file of one of a store's first artifacts is put into place, and has no row yet: an empty file in
/// `incoming/` that is named after it.
enum FirstFile {
  private static let beginning = "first-"

  static func name(_ digest: SHA256Digest) -> String { beginning + digest.hex }

  /// The artifact that a note of this name tells of; nil where it is no note.
  static func digest(ofName name: String) -> SHA256Digest? {
    guard name.hasPrefix(beginning),
      let digest = SHA256Digest(hex: String(name.dropFirst(beginning.count))),
      self.name(digest) == name
    else { return nil }
    return digest
  }
}

extension Artifacts {
  /// Notes, in a store that has no artifact yet, that a file is about to be put into place, until its row is committed.
  ///
  /// Should the process be killed in between, the note tells that the file is nobody's. Without it a file of a store whose
  /// database names none may as well be one that was kept, of a database that was lost.
  func noteFirstFile(_ digest: SHA256Digest, in change: Change) throws {
    let isNoting = try isNotingFiles.withLock { isNoting throws in
      if let isNoting { return isNoting }
      let isFirst = try change.db.integer("SELECT EXISTS (SELECT 1 FROM artifact)") == 0
      isNoting = isFirst
      return isFirst
    }
    guard isNoting else { return }
    let notes = try folder(StoreLayout.incoming)
    let name = FirstFile.name(digest)
    _ = try notes.openFile(name, for: .creating(exclusive: false))
    // A note that can't be removed does no harm: its file has a row by then, and a sweep removes the note.
    change.ifItFails { try? notes.unlink(name) }
    change.afterCommit {
      self.isNotingFiles.withLock { $0 = false }
      try? notes.unlink(name)
    }
  }
}
