#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

/// The state of a session that tells which changes another process made since.
struct SessionState: Sendable {
  let number: Int64
  var entries = 0
  var attachments = 0
  var turns = 0
  /// The number of changes in the chain, which shows changes that new entries and attachments don't explain.
  var changes = 0
  var title: String?
  /// More detail, for a session that has an observer of its own.
  var detail: Detail?

  /// The state that only observers of a single session need.
  struct Detail: Sendable {
    /// A hash of the session's tags and metadata.
    var description: Int
    var newestTurn: Turn?
    /// The drafts that other open stores stream, with the number of their stored pieces.
    var drafts: [DraftMark]
    /// The number of the newest attachment in the whole store.
    var recorded: Int64
  }

  /// A draft with the number of its stored pieces.
  struct DraftMark: Sendable, Equatable {
    let number: Int64
    let id: UUID
    let pieces: Int
  }
}

// MARK: - Reading

extension SessionState {
  static let columns = "number, entries, attachments, turns, changes, title"

  /// Reads the current row of a statement whose first columns are `columns`.
  init(_ row: borrowing Statement) throws {
    number = try row.int64(in: .session)
    entries = try row.int(in: .entries)
    attachments = try row.int(in: .count)
    turns = try row.int(in: .count)
    changes = try row.int(in: .count)
    title = row.optionalText()
  }

  /// Reads the state of a session; nil if it was deleted.
  static func read(_ id: UUID, detailed: Bool, core: StoreCore, in db: Tables) throws
    -> SessionState?
  {
    let find = try db.prepare(
      text: "SELECT \(columns) FROM session WHERE id = ? AND state < 2")
    find.bind(id.bytes)
    guard try find.step() else { return nil }
    var state = try SessionState(find)
    if detailed { try state.readDetail(of: id, core: core, in: db) }
    return state
  }

  private mutating func readDetail(of id: UUID, core: StoreCore, in db: Tables) throws {
    let session = Session(id: id, number: number, lineage: Lineage(rootOf: number), core: core)
    detail = Detail(
      description: try describe(in: db),
      newestTurn: turns == 0 ? nil : try session.turn(turns, in: db),
      drafts: try drafts(streamedBy: core.streamer, in: db),
      recorded: try db.integer("SELECT max(number) FROM attachment") ?? 0)
  }

  private func describe(in db: Tables) throws -> Int {
    var hasher = Hasher()
    let tags = try db.prepare("SELECT tag FROM tag WHERE session = ? AND entry = -1 ORDER BY tag")
    tags.bind(number)
    while try tags.step() { hasher.combine(tags.text()) }
    let metadata = try db.prepare("SELECT json FROM session_metadata WHERE session = ?")
    metadata.bind(number)
    if try metadata.step() { hasher.combine(metadata.text()) }
    return hasher.finalize()
  }

  private func drafts(streamedBy own: UUID?, in db: Tables) throws -> [DraftMark] {
    let find = try db.prepare(
      """
      SELECT number, uuid, owner, (SELECT count(*) FROM draft_piece WHERE draft = draft.number)
      FROM draft WHERE session = ? ORDER BY number
      """)
    find.bind(number)
    var marks: [DraftMark] = []
    while try find.step() {
      guard let id = UUID(bytes: find.bytes(1)), own == nil || UUID(bytes: find.bytes(2)) != own
      else { continue }
      marks.append(DraftMark(number: find.int64(0), id: id, pieces: find.int(3)))
    }
    return marks
  }
}

// MARK: - Telling what changed

extension SessionState {
  /// Returns the events for what another process did between two looks, in the order in which this process would tell them.
  func events(of id: UUID, to new: SessionState?, core: StoreCore, in db: Tables) throws
    -> [StoreEvent]
  {
    guard let new, new.number == number else { return [.deleted(session: id)] }
    var events: [StoreEvent] = []
    if new.entries > entries {
      events.append(.appended(session: id, positions: entries..<new.entries))
    }
    var explained = max(0, new.entries - entries)
    if let detail, let newDetail = new.detail {
      let attached = try attachments(after: detail.recorded, core: core, in: db)
      explained += attached.count
      for attachment in attached
      where attachment.position.map({ !(entries..<max(entries, new.entries)).contains($0) }) ?? true
      {
        events.append(.attached(session: id, attachment))
      }
      events += try drafts(from: detail, to: newDetail, of: id, new: new, core: core, in: db)
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

  private func attachments(after recorded: Int64, core: StoreCore, in db: Tables) throws
    -> [Entry.Attachment]
  {
    let number = number
    return try AttachmentReader(core, in: db).read(
      where: "a.number > ?1 AND +a.session = ?2 ORDER BY a.number"
    ) {
      $0.bind(recorded)
      $0.bind(number)
    }
    .map(\.value)
  }

  private func drafts(
    from old: Detail, to new: Detail, of id: UUID, new state: SessionState, core: StoreCore,
    in db: Tables
  ) throws -> [StoreEvent] {
    if old.drafts == new.drafts { return [] }
    var events: [StoreEvent] = []
    for gone in old.drafts where !new.drafts.contains(where: { $0.number == gone.number }) {
      let find = try db.prepare("SELECT id FROM entry WHERE id BETWEEN ? AND ? AND uuid = ?")
      find.bind(EntryID(session: number, position: entries))
      find.bind(EntryID(session: number, position: max(entries, state.entries)))
      find.bind(gone.id.bytes)
      let position = try find.step() ? find.entryID().position : nil
      events.append(.draftEnded(session: id, draft: gone.id, position: position))
    }
    let changed = new.drafts.filter { !old.drafts.contains($0) }
    guard !changed.isEmpty else { return events }
    let session = Session(id: id, number: number, lineage: Lineage(rootOf: number), core: core)
    for draft in try session.storedDrafts(in: db)
    where changed.contains(where: { $0.number == draft.number }) {
      events.append(.draft(session: id, draft.snapshot))
    }
    return events
  }
}
