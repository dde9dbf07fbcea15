#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// Which rows' bytes a connection has found to be those that their artifacts' names promise, so that they need not be
/// hashed, or compared, each time; and the bytes of those that were asked for again.
///
/// A row is trusted while no other connection has committed to the database, which is the only way in which its bytes
/// can change other than by the disk's own failing; and no longer than until somebody finds a row that is wrong.
final class CheckedRows {
  private struct Moment: Equatable {
    /// SQLite's `data_version`, as the connection has seen it.
    var version: UInt32 = 0
    /// How often a wrong row was found.
    var alarms = 0
  }

  private var moment = Moment()
  /// By a row's number the name that its bytes have. The number alone won't do: another artifact gets it when the one
  /// that had it is removed.
  private var names: [Int64: SHA256Digest] = [:]
  private var kept = Kept()

  /// More than anybody looks at between two writes.
  private static let limit = 10_000

  /// What a connection knows; it is used by one thread at a time, and so is this.
  static func of(_ db: Connection) -> CheckedRows {
    if let known = db.notes as? CheckedRows { return known }
    let new = CheckedRows()
    db.notes = new
    return new
  }

  /// Whether this connection has checked the row, and nobody else has changed anything since.
  ///
  /// Called while the statement that found the row still reads: then nobody has changed anything since it did.
  func isChecked(_ number: Int64, _ name: SHA256Digest, in db: Connection, alarms: Int) -> Bool {
    let now = Moment(version: db.seenDataVersion, alarms: alarms)
    if moment != now {
      moment = now
      names.removeAll(keepingCapacity: true)
    }
    return names[number] == name
  }

  /// Notes that the row was checked; to be called where it was asked whether it had been.
  func note(_ number: Int64, _ name: SHA256Digest) {
    if names.count >= Self.limit { names.removeAll(keepingCapacity: true) }
    names[number] = name
  }
}

// MARK: - Bytes that are asked for again

extension CheckedRows {
  /// Bytes that were checked, as they were when the newest commit was this one.
  private struct Kept {
    var commit: CommitMark?
    var alarms = 0
    var bytes: [Int64: (name: SHA256Digest, data: Data)] = [:]
    var count = 0
  }

  /// How many bytes a connection keeps: those of a screen of small images.
  private static let keptLimit = 1 << 20

  /// The bytes of a row that were checked and kept, where nobody has committed anything since, here or in another process.
  ///
  /// A read through SQLite takes a lock of the system and gives it back, which can take longer than all else about it.
  func bytes(of number: Int64, _ name: SHA256Digest, at commit: CommitMark?, alarms: Int) -> Data? {
    guard let commit, kept.commit == commit, kept.alarms == alarms,
      let found = kept.bytes[number], found.name == name
    else { return nil }
    return found.data
  }

  /// Keeps the bytes of a row that was checked.
  ///
  /// - Parameter commit: The newest commit when they were read: the same before the statement began and while it reads.
  func keep(
    _ data: Data, of number: Int64, _ name: SHA256Digest, at commit: CommitMark, alarms: Int
  ) {
    if kept.commit != commit || kept.alarms != alarms || kept.count + data.count > Self.keptLimit {
      kept = Kept(commit: commit, alarms: alarms)
    }
    kept.count += data.count - (kept.bytes[number]?.data.count ?? 0)
    kept.bytes[number] = (name, data)
  }
}
