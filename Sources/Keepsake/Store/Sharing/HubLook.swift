#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Looks for what is new at a hub, for a ``HubWatch``, and remembers what the last look found.
struct HubLook {
  private let sharing: SharedWriter
  /// The stamp of the newest version that a look tried to take over, for each observed session. A damaged version is tried once.
  private var tried: [UUID: UUID] = [:]
  /// The sessions at the beginning of the hub's list at the last look, with the stamps of their newest versions; nil before the first look
  /// at the list.
  private var listed: [UUID: UUID]?
  /// The place up to which a hub without lists was followed; nil before the first look at all sessions.
  private var mark: HubMark?

  private var hub: any Hub { sharing.hub }
  private var handle: StoreHandle { sharing.handle }

  init(_ sharing: SharedWriter) { self.sharing = sharing }

  /// Looks once for everything that somebody observes now.
  mutating func run() async throws {
    let (sessions, isListObserved) = handle.observers.subjects
    try await look(at: sessions)
    if isListObserved {
      try await lookAtList(besides: sessions)
    } else {
      (listed, mark) = (nil, nil)
    }
  }

  /// Takes over what is new of some sessions.
  private mutating func look(at sessions: Set<UUID>) async throws {
    if sessions.isEmpty {
      tried = [:]
      return
    }
    let there = try await hub.directory(of: Array(sessions))
    for head in there.heads where tried[head.session] != head.stamp {
      if try handle.hasTakenOver(head) { continue }
      try await sharing.catchUp(head.session)
      tried[head.session] = head.stamp
    }
    tried = tried.filter { sessions.contains($0.key) }
  }

  /// Tells the observers of all sessions which of the most recently active ones changed. If the hub keeps no lists,
  /// everything that is new at the hub is taken over.
  private mutating func lookAtList(besides observed: Set<UUID>) async throws {
    guard let found = try await hub.find(HubQuery(limit: ListState.watched)) else {
      return try await takeOverNew()
    }
    var heads = found.map(\.head)
    let last = listed ?? [:]
    // A session that left the beginning of the list was deleted, or other sessions have become more recent.
    let gone = Set(last.keys).subtracting(heads.map(\.session))
    if !gone.isEmpty { heads += try await hub.directory(of: Array(gone)).heads }
    for head in heads where !observed.contains(head.session) && last[head.session] != head.stamp {
      if try handle.hasTakenOver(head) { continue }
      handle.observers.publish(.changedElsewhere(session: head.session))
    }
    listed = Dictionary(found.map { ($0.head.session, $0.head.stamp) }) { first, _ in first }
  }

  private mutating func takeOverNew() async throws {
    let changes = try await hub.changes(after: mark)
    // The hub's first answer is a mark, and tells no changes. Everything is taken over then, because an observer may have read the list of
    // sessions before the hub gave the mark.
    var isNew = mark == nil || changes.mayHaveMissed
    for (session, version) in changes.sessions where !isNew {
      isNew = try handle.read { try $0.hubSessions.row(session)?.version ?? 0 } < version
    }
    if isNew { try await sharing.catchUp() }
    mark = changes.mark
  }
}
