import KeepsakeFiles

/// A file of zeros that keeps room on the disk for deletions.
///
/// On a full disk nothing could be deleted otherwise, because a deletion is written to the log first, and from the log into the
/// database. The writer removes the file for a deletion, and makes it again afterwards.
struct Reserve: Sendable {
  /// The size of the reserve in bytes.
  ///
  /// A checkpoint lengthens the database by at most the log, which is about 1,000 pages, or 4 MB, while one process writes. The
  /// rest is for the log of one step of a deletion, which takes fewer rows until it fits.
  static let size: Int64 = 8 << 20
  /// The least size of a store with a reserve: a small store should not weigh a multiple of its content.
  static let leastStore: Int64 = 64 << 20
  /// The free space that must be left to make a reserve, because the last of a disk belongs to other programs.
  static let leastRoom: Int64 = 4 * size

  let folder: Directory

  init(in layout: StoreLayout) { folder = layout.folder }

  /// The number of bytes that the reserve has now; 0 without a reserve.
  var kept: Int64 {
    get throws(FileError) { try folder.status(StoreLayout.reserve)?.size ?? 0 }
  }

  /// Gives the room back to the disk, and returns whether there was any.
  @discardableResult
  func release() throws(FileError) -> Bool {
    do throws(FileError) {
      try folder.unlink(StoreLayout.reserve)
      return true
    } catch {
      guard error.code == .notFound else { throw error }
      return false
    }
  }

  /// Makes the reserve, unless it is there already or the disk has little room left.
  func keep() throws(FileError) {
    let kept = try kept
    guard kept != Self.size, try folder.room() + kept >= Self.leastRoom else { return }
    // A reserve of another size was left by a process that ended while making it.
    if kept > 0 { try release() }
    try make()
  }

  private func make() throws(FileError) {
    let file: FileDescriptor
    do throws(FileError) {
      file = try folder.openFile(StoreLayout.reserve, for: .creating(exclusive: true))
    } catch {
      // Another process is making the reserve.
      guard error.code == .exists else { throw error }
      return
    }
    do throws(FileError) { try file.allocate(Self.size) } catch {
      // The first error is the one to report.
      _ = try? release()
      throw error
    }
  }

  /// Gives the room back for a request that frees space, and returns whether there was any.
  @Sendable
  func releaseIfKept() -> Bool { (try? release()) ?? false }

  /// Makes the reserve after a request that freed space; a failure is ignored, because a store works without a reserve.
  @Sendable
  func renew() { _ = try? make() }

  /// Returns whether the store is large enough to keep a reserve.
  static func isWorthwhile(in db: Tables) throws -> Bool {
    if try db.files.databaseBytes() >= leastStore { return true }
    // Only the newest artifacts are summed. Many small artifacts are mostly in the database, which was measured above.
    return try db.artifacts.newestLargeBytes() >= leastStore
  }
}
