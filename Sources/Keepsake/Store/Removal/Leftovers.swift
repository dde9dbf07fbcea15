#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// The files that ended processes left in a store's folder and beside it.
///
/// These are instance files, parts of artifacts, and folders that should have become stores, backups or exports. No row
/// names them. A part belongs to an ended process if its owner's instance file exists and is not locked. A part without
/// an instance file belongs to an ended process only if it is old, because an open store that was suspended has no such
/// file.
struct Leftovers {
  let layout: StoreLayout

  /// The age from which a part of an artifact counts as left behind, if its owner has no instance file.
  static let age: Duration = .seconds(3600)
  /// The number of names that an opening looks at, so that it costs next to nothing. The next opening looks at more.
  static let namesAtOpening = 64
  /// The number of files that one piece of idle work removes.
  static let filesAtATime = 64

  /// Counts what was left behind.
  func found(olderThan age: Duration = Self.age) throws -> Abandoned {
    let incoming = try look(atMost: Directory.mostNames, olderThan: age) { _, _ in }
    var found = Abandoned()
    for part in [incoming, try besides()?.abandoned() ?? Abandoned()] {
      found.count += part.count
      found.bytes += part.bytes
    }
    return found
  }

  /// Removes what was left behind in `incoming/`.
  @discardableResult
  func removeIncoming(
    atMost most: Int = Directory.mostNames, olderThan age: Duration = Self.age
  ) throws -> Abandoned {
    try look(atMost: most, olderThan: age) { name, folder in try folder.unlink(name) }
  }

  /// Removes what makers of stores, backups and exports left behind beside the store.
  @discardableResult
  func removeBesides(atMost most: Int = .max) throws -> Abandoned {
    try besides()?.removeAbandoned(atMost: most) ?? Abandoned()
  }

  /// The folder that the store is in; nil if this user may not look into it, and so made nothing in it.
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
  /// Passes each file that was left in `incoming/` to the body, and an instance file after the parts of its instance.
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

  /// Tells whether a file is a plain file of this user. Anything else was planted, and is neither opened nor removed.
  static func isOurs(_ status: FileStatus) -> Bool {
    status.isRegular && (status.owner == SystemUser.number || SystemUser.isRoot)
  }
}

extension FileStatus {
  /// Tells whether the file was made and last changed at or before a moment, in microseconds since 1970.
  func isOlder(than limit: Int64) -> Bool {
    // Renaming a file into place changes its status and not its bytes.
    max(modified, changed) / 1000 <= limit
  }
}

extension Date {
  /// Returns the moment that lies an age before this one, in microseconds since 1970, or the earliest possible moment.
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
