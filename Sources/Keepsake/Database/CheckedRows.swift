#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// Remembers for a connection which rows have bytes that match the ids of their artifacts, and caches some of the bytes.
///
/// A checked row is not hashed or compared again. It is trusted while no other connection has committed, because its bytes
/// cannot change otherwise, apart from a failing disk. All trust ends when somebody finds a damaged row.
final class CheckedRows {
  /// The moment as of which checked rows are trusted.
  private struct Moment: Equatable {
    /// SQLite's `data_version`, as the connection has seen it.
    var version: UInt32 = 0
    /// The number of damaged rows found so far.
    var alarms = 0
  }

  private var moment = Moment()
  /// The digest of each checked row's bytes, by the row's number.
  ///
  /// The number alone is not enough, because it is used again after its artifact was removed.
  private var names: [Int64: SHA256Digest] = [:]
  private var kept = Kept()

  /// The most rows to remember, which is more than anybody reads between two writes.
  private static let limit = 10_000

  /// Returns the checked rows of a connection. They belong to the connection's thread.
  static func of(_ db: Connection) -> CheckedRows {
    if let known = db.notes as? CheckedRows { return known }
    let new = CheckedRows()
    db.notes = new
    return new
  }

  /// Returns whether this connection has checked the row and nobody has committed since.
  ///
  /// The caller's statement that found the row must still be reading, so that nobody can have committed after it.
  func isChecked(_ number: Int64, _ name: SHA256Digest, in db: Connection, alarms: Int) -> Bool {
    let now = Moment(version: db.seenDataVersion, alarms: alarms)
    if moment != now {
      moment = now
      names.removeAll(keepingCapacity: true)
    }
    return names[number] == name
  }

  /// Notes that the row was checked, right after ``isChecked(_:_:in:alarms:)``, which sets the moment.
  func note(_ number: Int64, _ name: SHA256Digest) {
    if names.count >= Self.limit { names.removeAll(keepingCapacity: true) }
    names[number] = name
  }
}

// MARK: - Bytes that are asked for again

extension CheckedRows {
  /// The cached bytes, which are valid as of one commit.
  private struct Kept {
    var commit: CommitMark?
    var alarms = 0
    var bytes: [Int64: (name: SHA256Digest, data: Data)] = [:]
    var count = 0
  }

  /// The most bytes that a connection caches, which is about a screen of small images.
  private static let keptLimit = 1 << 20

  /// Returns cached bytes of a checked row, if no process has committed since they were read.
  ///
  /// A read through SQLite takes and releases a lock of the system, which can take longer than the rest of the read.
  func bytes(of number: Int64, _ name: SHA256Digest, at commit: CommitMark?, alarms: Int) -> Data? {
    guard let commit, kept.commit == commit, kept.alarms == alarms,
      let found = kept.bytes[number], found.name == name
    else { return nil }
    return found.data
  }

  /// Caches the bytes of a checked row.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - number: The row's number.
  ///   - name: The digest of the bytes.
  ///   - commit: The newest commit, equal before the reading statement began and while it reads.
  ///   - alarms: The number of damaged rows found so far.
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
