import KeepsakeFiles
import KeepsakeSQLite

/// Room on the disk that is kept for removing things: a file of nothing.
///
/// On a full disk nothing can be deleted either, because a deletion is written to the log first, and the log into the
/// database. The writer gives the room back for that, and keeps it again afterwards.
struct Reserve: Sendable {
  /// A checkpoint makes the database longer by no more than the log has, which is about 1,000 pages, or 4 MB, while one
  /// process writes. The rest is for the log of one step of a deletion, which takes fewer rows until it fits.
  static let size: Int64 = 8 << 20
  /// How large a store is that keeps one: a small one is not to weigh a multiple of what is in it, and deleting from it
  /// would make no room worth the name.
  static let leastStore: Int64 = 64 << 20
  /// How much room there must be for it: the last of a disk is somebody else's.
  static let leastRoom: Int64 = 4 * size

  let folder: Directory

  init(in layout: StoreLayout) { folder = layout.folder }

  /// How many bytes are kept now.
  var kept: Int64 {
    get throws(FileError) { try folder.status(StoreLayout.reserve)?.size ?? 0 }
  }

  /// Gives the room back to the disk; false where there was none.
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

  /// Keeps room, unless there is some, or little is left.
  func keep() throws(FileError) {
    let kept = try kept
    guard kept != Self.size, try folder.room() + kept >= Self.leastRoom else { return }
    // One that its maker did not come to the end of.
    if kept > 0 { try release() }
    try make()
  }

  private func make() throws(FileError) {
    let file: FileDescriptor
    do throws(FileError) {
      file = try folder.openFile(StoreLayout.reserve, for: .creating(exclusive: true))
    } catch {
      // Somebody else makes it.
      guard error.code == .exists else { throw error }
      return
    }
    do throws(FileError) { try file.allocate(Self.size) } catch {
      // The first error is the one to tell.
      _ = try? release()
      throw error
    }
  }

  /// For requests that free space. What fails here keeps nobody from trying: the store works without a reserve as well.
  var forWriter: Writer.Reserve {
    Writer.Reserve(
      release: { (try? release()) ?? false },
      renew: { _ = try? make() })
  }

  /// Whether a store is so large that it should keep one.
  static func isWorthwhile(in db: Connection) throws -> Bool {
    if try StoreHealth.databaseBytes(in: db) >= leastStore { return true }
    // The newest alone: what many small ones take together is in the database, mostly.
    let files = try db.integer(
      """
      SELECT coalesce(sum(size), 0) FROM (
        SELECT size, place FROM artifact ORDER BY number DESC LIMIT 256) WHERE place = 1
      """)
    return files ?? 0 >= leastStore
  }
}
