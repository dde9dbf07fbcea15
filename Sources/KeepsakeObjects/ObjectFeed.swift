#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFiles

/// The feed: what each peer changed, so that the others need not look at every session. It is a hint.
///
/// Entries of one hub object are written in turn, so that their numbers appear in order. What is to be told while an entry is
/// on its way goes into the next one together.
final class ObjectFeed: Sendable {
  /// The number of a peer's entries that stay. Whoever was away for longer reads the directory.
  private static let kept: Int64 = 1024
  private static let largestEntry = 8 << 20

  private struct State {
    var peer: HubPeer
    var pending: [HubHead] = []
    var waiting: [CheckedContinuation<Void, Never>] = []
    var isWriting = false
  }

  private let store: ObjectStore
  private let keys: ObjectKeys
  private let state: Locked<State>

  var peer: HubPeer { state.withLock { $0.peer } }

  init(_ store: ObjectStore, peer: HubPeer) {
    self.store = store
    keys = ObjectKeys(store.address)
    state = Locked(State(peer: peer))
  }

  /// Tells others that sessions changed, and returns when that is written, or can't be.
  func announce(_ heads: [HubHead]) async {
    guard !heads.isEmpty else { return }
    await withCheckedContinuation { continuation in
      let isFirst = state.withLock { state in
        state.pending += heads
        state.waiting.append(continuation)
        defer { state.isWriting = true }
        return !state.isWriting
      }
      if isFirst { Task { await writeAll() } }
    }
  }

  private func writeAll() async {
    while true {
      let (heads, waiting) = state.withLock { state in
        defer { (state.pending, state.waiting) = ([], []) }
        if state.waiting.isEmpty { state.isWriting = false }
        return (state.pending, state.waiting)
      }
      if waiting.isEmpty { return }
      // The hub has the commits, whether or not other peers hear of them now.
      do { try await write(heads) } catch {}
      for continuation in waiting { continuation.resume() }
    }
  }

  private func write(_ heads: [HubHead]) async throws {
    let entry = FeedEntry.encoded(heads)
    var peer = peer
    while true {
      let key = keys.entry(peer.next, of: "\(peer.id)")
      let writing = try await store.put(key, entry, if: .absent)
      // After an answer that was lost, what stands there is this very entry.
      if writing == .refused,
        try await store.get(key, count: Self.largestEntry)?.bytes != entry
      {
        // Another store has this one's name, or this one forgot how far it was. A new name can't be taken.
        peer = HubPeer()
        continue
      }
      let number = peer.next
      peer.next += 1
      state.withLock { [peer] in $0.peer = peer }
      if number % (Self.kept / 4) == 0 { try await prune(peer, before: number - Self.kept) }
      return
    }
  }

  private func prune(_ peer: HubPeer, before number: Int64) async throws {
    guard number > 0 else { return }
    var old: [String] = []
    let prefix = keys.feed("\(peer.id)")
    try await store.listAll(prefix) { page in
      for entry in page.entries {
        guard let found = Self.number(entry.key, prefix), found < number else { return false }
        old.append(entry.key)
      }
      return true
    }
    _ = try await Abreast.map(old) { [store] in try await store.delete($0) }
  }

  /// Reads what was told since a mark.
  func changes(after mark: HubMark?) async throws -> HubChanges {
    let given = mark.flatMap(FeedMark.init)
    let seen = given ?? FeedMark()
    var peers: [String] = []
    try await store.listAll(keys.feed, delimiter: "/") { page in
      peers += page.prefixes.map { String($0.dropFirst(keys.feed.count).dropLast()) }
      return true
    }
    var changes = HubChanges(sessions: [:], mark: seen.mark, mayHaveMissed: given == nil)
    let isFirst = given == nil
    let parts = try await Abreast.map(peers.filter { UUID(text: $0) != nil }) { peer in
      try await self.part(of: peer, after: isFirst ? nil : seen.seen[peer, default: 0])
    }
    var reached = seen
    for part in parts {
      if part.last > 0 { reached.seen[part.peer] = part.last }
      for entry in part.entries { changes.add(entry) }
      if part.hasGap { changes.mayHaveMissed = true }
    }
    changes.mark = reached.mark
    return changes
  }

  /// What a peer told.
  private struct Part: Sendable {
    let peer: String
    var last: Int64
    var entries: [FeedEntry] = []
    var hasGap = false
  }

  /// Reads what a peer told after a number; without one, only how far it is.
  private func part(of peer: String, after seen: Int64?) async throws -> Part {
    let prefix = keys.feed(peer)
    var numbers: [Int64] = []
    let start = seen.flatMap { $0 > 0 ? keys.entry($0, of: peer) : nil }
    try await store.listAll(prefix, after: start) { page in
      numbers += page.entries.compactMap { Self.number($0.key, prefix) }
      return true
    }
    guard let seen else { return Part(peer: peer, last: numbers.last ?? 0) }
    var part = Part(peer: peer, last: seen)
    let new = numbers.filter { $0 > seen }
    let entries = try await Abreast.map(new) { [store, keys] number in
      try await store.get(keys.entry(number, of: peer), count: Self.largestEntry)
        .flatMap { FeedEntry($0.bytes) }
    }
    for (number, entry) in zip(new, entries) {
      // Numbers that are not there were removed because they were old.
      if number != part.last + 1 { part.hasGap = true }
      if let entry { part.entries.append(entry) } else { part.hasGap = true }
      part.last = number
    }
    return part
  }

  private static func number(_ key: String, _ prefix: String) -> Int64? {
    VersionFile.number(String(key.dropFirst(prefix.count)))
  }
}
