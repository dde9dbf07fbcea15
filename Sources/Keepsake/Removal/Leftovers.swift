#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// What processes that ended left in a store's folder and beside it: signs of life, parts of artifacts, and whole folders
/// that were to become stores, backups or exports.
///
/// All of it is files that no row names. A part whose owner's sign of life is there and not locked is a dead process's, at
/// once; one without a sign of life only when it is old, because an open store that was suspended has none.
struct Leftovers {
  let layout: StoreLayout

  /// So old is a part of an artifact whose owner has no sign of life, until it counts as left behind.
  static let age: Duration = .seconds(3600)
  /// How many names an opening looks at: it is to cost next to nothing, and what there is more, the next one takes.
  static let namesAtOpening = 64
  /// How many files go in one piece of idle work.
  static let filesAtATime = 64

  /// What there is.
  func found(olderThan age: Duration = Self.age) throws -> Abandoned {
    let incoming = try look(atMost: Directory.mostNames, olderThan: age) { _, _ in }
    var found = Abandoned()
    for part in [incoming, try besides()?.abandoned() ?? Abandoned()] {
      found.count += part.count
      found.bytes += part.bytes
    }
    return found
  }

  /// Removes what is left in `incoming/`.
  @discardableResult
  func removeIncoming(
    atMost most: Int = Directory.mostNames, olderThan age: Duration = Self.age
  ) throws -> Abandoned {
    try look(atMost: most, olderThan: age) { name, folder in try folder.unlink(name) }
  }

  /// Removes what is left beside the store by makers of stores, backups and exports.
  @discardableResult
  func removeBesides(atMost most: Int = .max) throws -> Abandoned {
    try besides()?.removeAbandoned(atMost: most) ?? Abandoned()
  }

  /// The folder that the store is in; nil where this user may not look into it, and so made nothing in it.
  private func besides() throws -> Directory? {
    // Not by the path's own parent: the path may be a link.
    do throws(FileError) { return try Directory(path: layout.folder.path + "/..") } catch {
      guard error.code == .permissionDenied else { throw error }
      return nil
    }
  }
}

// MARK: - Incoming files

extension Leftovers {
  /// Shows each file that is left in `incoming/` to the body, a sign of life after what it stands for.
  private func look(
    atMost most: Int, olderThan age: Duration, _ body: (String, Directory) throws -> Void
  ) throws -> Abandoned {
    var found = Abandoned()
    let folder: Directory
    do throws(FileError) {
      folder = try layout.folder.subdirectory(StoreLayout.incoming)
    } catch {
      guard error.code == .notFound else { throw error }
      return found
    }
    let names = try folder.names(atMost: most)
    if names.isEmpty { return found }
    found.hasMore = names.count == most
    var parts: [UUID: [String]] = [:]
    for name in names {
      if let owner = IncomingFile.owner(ofName: name) { parts[owner, default: []].append(name) }
    }
    func show(_ name: String, _ status: FileStatus) throws {
      do throws(any Error) { try body(name, folder) } catch let error as FileError
        where error.code == .notFound
      { return }
      found.count += 1
      found.bytes += status.size
    }
    for (sign, owner) in names.compactMap({ name in
      StoreInstance.id(ofName: name).map { (name, $0) }
    }) {
      let mine = parts.removeValue(forKey: owner) ?? []
      try StoreInstance.whenDead(named: sign, in: folder) { status in
        for name in mine {
          guard let status = try folder.status(name), Self.isOurs(status) else { continue }
          try show(name, status)
        }
        // It says that the others are left behind, and there may be more of them than were looked at.
        if !found.hasMore { try show(sign, status) }
      }
    }
    let limit = Date().microseconds(before: age)
    for (owner, names) in parts where try !folder.exists(StoreInstance.name(owner)) {
      for name in names {
        guard let status = try folder.status(name), Self.isOurs(status), status.isOlder(than: limit)
        else { continue }
        try show(name, status)
      }
    }
    return found
  }

  /// Whether it is a plain file of this user's: what somebody planted under such a name is not looked into, nor removed.
  static func isOurs(_ status: FileStatus) -> Bool {
    status.isRegular && (status.owner == SystemUser.number || SystemUser.isRoot)
  }
}

extension FileStatus {
  /// Whether it was made and last changed no later than this, in microseconds since 1970.
  func isOlder(than limit: Int64) -> Bool {
    // Renaming a file into place changes its status and not its bytes.
    max(modified, changed) / 1000 <= limit
  }
}

extension Date {
  /// The moment so long before this one, in microseconds since 1970; at the limit where it does not fit.
  func microseconds(before age: Duration) -> Int64 {
    let age = age.components
    let limit = age.seconds < 0 ? Int64.max : .min
    let (whole, isTooLong) = age.seconds.multipliedReportingOverflow(by: 1_000_000)
    if isTooLong { return limit }
    let (moment, isTooFar) = microseconds.subtractingReportingOverflow(whole)
    if isTooFar { return limit }
    let (exact, isOut) = moment.subtractingReportingOverflow(age.attoseconds / 1_000_000_000_000)
    return isOut ? limit : exact
  }
}
