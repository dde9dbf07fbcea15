#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// The feed: what each peer changed, so that the others need not look at every session. It is a hint, and never synced.
extension FolderHub {
  /// The number of a peer's entries that stay. Whoever was away for longer reads the directory.
  private static let kept: Int64 = 1024
  /// Entries of this hub object are written in turn, so that their numbers appear in order.
  private static let turn = UUID(
    uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

  /// Tells others that sessions changed.
  func announce(_ heads: [HubHead]) async {
    guard !heads.isEmpty else { return }
    // The hub has the commits, whether or not other peers hear of them now.
    do { try await threads.run(inTurn: Self.turn) { [self] in try write(heads) } } catch {}
  }

  private func write(_ heads: [HubHead]) throws {
    let entry = FeedEntry.encoded(heads)
    var peer = peer
    while true {
      try feed.makeFolder("\(peer.id)", mode: 0o777)
      let folder = try feed.subdirectory("\(peer.id)")
      let name = VersionFile.padded(peer.next)
      let file: FileDescriptor
      do throws(FileError) {
        file = try folder.openFile(name, for: .creating(exclusive: true), mode: 0o444)
      } catch {
        guard error.code == .exists else { throw error }
        // Another store has this one's name, or this one forgot how far it was. A new name can't be taken.
        peer = HubPeer()
        continue
      }
      do throws(FileError) {
        try file.write(all: entry)
      } catch {
        // Otherwise the number would stay taken by an entry without its end.
        try folder.unlink(name)
        throw error
      }
      try watch(.feedWritten)
      let number = peer.next
      peer.next += 1
      setPeer(peer)
      if number % (Self.kept / 4) == 0 { try prune(folder, before: number - Self.kept) }
      return
    }
  }

  private func prune(_ folder: Directory, before number: Int64) throws {
    for name in try folder.names() {
      if let old = VersionFile.number(name), old < number { try folder.unlink(name) }
    }
  }

  package func changes(after mark: HubMark?) async throws -> HubChanges {
    try await run { [self] in try readFeed(after: mark) }
  }

  private func readFeed(after mark: HubMark?) throws -> HubChanges {
    let given = mark.flatMap(FeedMark.init)
    let seen = given?.seen ?? [:]
    var changes = HubChanges(
      sessions: [:], mark: HubMark(text: ""), mayHaveMissed: given == nil)
    var reached = FeedMark()
    for name in try feed.names() where UUID(text: name) != nil {
      let folder: Directory
      do throws(FileError) { folder = try feed.subdirectory(name) } catch {
        changes.mayHaveMissed = true
        continue
      }
      let numbers = try folder.names().compactMap(VersionFile.number)
      let new = numbers.filter { $0 > seen[name, default: 0] }
      if mark == nil {
        reached.seen[name] = numbers.last
        continue
      }
      var last = seen[name, default: 0]
      if numbers.last ?? 0 < last {
        // The hub went back to an older state.
        changes.mayHaveMissed = true
        last = numbers.last ?? 0
      }
      for number in new {
        // Numbers that are not there were removed because they were old.
        if number != last + 1 { changes.mayHaveMissed = true }
        let isWhole = try read(number, in: folder, &changes)
        // The last one may still be written. One that has others behind it never will be.
        if !isWhole, number == new.last { break }
        if !isWhole { changes.mayHaveMissed = true }
        last = number
      }
      if last > 0 { reached.seen[name] = last }
    }
    if !Set(seen.keys).isSubset(of: reached.seen.keys) { changes.mayHaveMissed = true }
    changes.mark = reached.mark
    return changes
  }

  /// Reads one entry; false where it does not have its end.
  private func read(
    _ number: Int64, in folder: Directory, _ changes: inout HubChanges
  ) throws -> Bool {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try folder.openFile(VersionFile.padded(number)).readAll(limit: 1 << 24)
    } catch { return false }
    guard let entry = FeedEntry(bytes) else { return false }
    changes.add(entry)
    return true
  }
}
