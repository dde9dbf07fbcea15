#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// MARK: - Reading

extension SessionState {
  /// Reads the state of a session; nil if it was deleted.
  static func read(_ id: UUID, detailed: Bool, handle: StoreHandle, in db: Tables) throws
    -> SessionState?
  {
    guard var state = try db.sessions.observedState(of: id) else { return nil }
    if detailed { try state.readDetail(of: id, handle: handle, in: db) }
    return state
  }

  private mutating func readDetail(of id: UUID, handle: StoreHandle, in db: Tables) throws {
    let session = Session(id: id, number: number, lineage: Lineage(rootOf: number), handle: handle)
    detail = Detail(
      description: try db.sessions.hashDescription(of: number),
      newestTurn: turns == 0 ? nil : try session.turn(turns, in: db),
      drafts: try drafts(streamedBy: handle.streamer, in: db),
      recorded: try db.attachments.newest())
  }

  private func drafts(streamedBy own: UUID?, in db: Tables) throws -> [DraftMark] {
    try db.drafts.marks(in: number).compactMap { found in
      guard let id = found.id, own == nil || found.owner != own else { return nil }
      return DraftMark(number: found.number, id: id, pieces: found.pieces)
    }
  }
}

// MARK: - Telling what changed

extension SessionState {
  /// Returns the events for what another process did between two looks, in the order in which this process would tell them.
  func events(of id: UUID, to new: SessionState?, handle: StoreHandle, in db: Tables) throws
    -> [StoreEvent]
  {
    guard let new, new.number == number else { return [.deleted(session: id)] }
    var events: [StoreEvent] = []
    if new.entries > entries {
      events.append(.appended(session: id, positions: entries..<new.entries))
    }
    var explained = max(0, new.entries - entries)
    if let detail, let newDetail = new.detail {
      let attached = try attachments(after: detail.recorded, handle: handle, in: db)
      explained += attached.count
      for attachment in attached
      where attachment.position.map({ !(entries..<max(entries, new.entries)).contains($0) }) ?? true
      {
        events.append(.attached(session: id, attachment))
      }
      events += try drafts(from: detail, to: newDetail, of: id, new: new, handle: handle, in: db)
      if let turn = newDetail.newestTurn, turn != detail.newestTurn {
        events.append(.turn(session: id, turn))
      }
      if newDetail.description != detail.description || new.title != title {
        events.append(.renamed(session: id))
      }
    } else if new.title != title {
      events.append(.renamed(session: id))
    }
    if new.entries < entries || new.changes - changes != explained {
      events.append(.changedElsewhere(session: id))
    }
    return events
  }

  private func attachments(after recorded: Int64, handle: StoreHandle, in db: Tables) throws
    -> [Entry.Attachment]
  {
    try AttachmentReader(handle, in: db).rows(recordedIn: number, after: recorded).map(\.value)
  }

  private func drafts(
    from old: Detail, to new: Detail, of id: UUID, new state: SessionState, handle: StoreHandle,
    in db: Tables
  ) throws -> [StoreEvent] {
    if old.drafts == new.drafts { return [] }
    var events: [StoreEvent] = []
    for gone in old.drafts where !new.drafts.contains(where: { $0.number == gone.number }) {
      let first = EntryID(session: number, position: entries)
      let last = EntryID(session: number, position: max(entries, state.entries))
      let position = try db.entries.id(of: gone.id, in: first...last)?.position
      events.append(.draftEnded(session: id, draft: gone.id, position: position))
    }
    let changed = new.drafts.filter { !old.drafts.contains($0) }
    guard !changed.isEmpty else { return events }
    let session = Session(id: id, number: number, lineage: Lineage(rootOf: number), handle: handle)
    for draft in try session.storedDrafts(in: db)
    where changed.contains(where: { $0.number == draft.number }) {
      events.append(.draft(session: id, draft.snapshot))
    }
    return events
  }
}
