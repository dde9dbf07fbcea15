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
  private static let end = "end"
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
    let lines = heads.map { "\(Self.name(of: $0.session)) \($0.version)\n" }.joined()
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
        try file.write(all: Array((lines + Self.end + "\n").utf8))
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
    try Task.checkCancellation()
    return try await threads.run { [self] in
      do { return try readFeed(after: mark) } catch { throw told(error) }
    }
  }

  private func readFeed(after mark: HubMark?) throws -> HubChanges {
    let seen = mark.flatMap(Self.seen) ?? [:]
    var changes = HubChanges(
      sessions: [:], mark: HubMark(text: ""), mayHaveMissed: mark.flatMap(Self.seen) == nil)
    var reached: [String: Int64] = [:]
    for name in try feed.names() where UUID(text: name) != nil {
      let folder: Directory
      do throws(FileError) { folder = try feed.subdirectory(name) } catch {
        changes.mayHaveMissed = true
        continue
      }
      let numbers = try folder.names().compactMap(VersionFile.number)
      let new = numbers.filter { $0 > seen[name, default: 0] }
      if mark == nil {
        reached[name] = numbers.last
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
      if last > 0 { reached[name] = last }
    }
    if !Set(seen.keys).isSubset(of: reached.keys) { changes.mayHaveMissed = true }
    changes.mark = HubMark(
      text: reached.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        .joined(separator: "\n"))
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
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard lines.last == Self.end[...], bytes.last == 0x0A else { return false }
    for line in lines.dropLast() {
      guard let (name, version) = Self.pair(line), let session = UUID(text: name) else {
        changes.mayHaveMissed = true
        continue
      }
      changes.sessions[session] = max(version, changes.sessions[session] ?? 0)
    }
    return true
  }

  /// Reads from a mark the number of the last entry seen of each peer; nil for a mark that this hub did not give.
  private static func seen(_ mark: HubMark) -> [String: Int64]? {
    var seen: [String: Int64] = [:]
    for line in mark.text.split(separator: "\n") {
      guard let (name, number) = pair(line) else { return nil }
      seen[name] = number
    }
    return seen
  }

  private static func pair(_ line: Substring) -> (String, Int64)? {
    let parts = line.split(separator: " ")
    guard parts.count == 2, let number = Int64(parts[1]), number > 0 else { return nil }
    return (String(parts[0]), number)
  }
}
