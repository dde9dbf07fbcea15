#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Shows a session and everything that is added to it, until the task is cancelled.
struct Following {
  let session: Session
  var page: any FollowingPage
  /// The first position that is not shown yet.
  private var next = 0
  /// The content of the newest shown entries by position, to notice changes of other processes.
  private var shown: [Int: Face] = [:]
  private var live = LiveState()

  /// The number of shown entries that are checked for changes.
  private static let kept = 256

  init(session: Session, page: any FollowingPage) {
    self.session = session
    self.page = page
  }

  /// A short form of an entry's shown content.
  private struct Face {
    let content: Int
    var attachments: Set<Entry.Attachment.ID>

    init(_ entry: Entry) {
      var hasher = Hasher()
      hasher.combine(entry.kind)
      hasher.combine(entry.segments)
      hasher.combine(entry.toolCalls)
      hasher.combine(entry.status)
      hasher.combine(entry.isErased)
      content = hasher.finalize()
      attachments = Set(entry.attachments.map(\.id))
    }
  }

  /// Shows the newest entries, or all, and continues until the task is cancelled or the session is deleted.
  mutating func run(last: Int?) async throws {
    do {
      // The events are requested before anything is read, so that no change is missed in between.
      let events = session.events
      let summary = try await session.summary()
      try page.begin(summary)
      next = last.map { max(0, summary.entries - $0) } ?? 0
      try await readOn()
      try await readLive()
      try page.live(live)
      for await event in events {
        if case .deleted = event { return try page.deleted() }
        do { try await take(event) } catch let error as KeepsakeError where error.code == .notFound
        {
          return try page.deleted()
        }
        try page.live(live)
      }
    } catch is CancellationError {
      // Cancellation is the normal end.
    }
  }

  private mutating func take(_ event: StoreEvent) async throws {
    switch event {
    case .appended: try await readOn()
    case .revised(_, let position): try await readAgain(position)
    case .attached(_, let attachment), .bound(_, let attachment):
      // An attachment without an entry is shown together with its entry later.
      if let position = attachment.position { try await readAgain(position) }
    case .draft(_, let draft): live.update(draft)
    case .draftEnded(_, let id, _): live.drafts.removeAll { $0.id == id }
    case .invoked(_, let invocation):
      if live.update(invocation) { try page.ended(invocation) }
    case .progress(_, let id, let fraction, let note): live.update(id, fraction, note)
    case .changedElsewhere:
      try await readOn()
      if let first = shown.keys.min() {
        for entry in try await session.entries(after: first - 1, count: Self.kept) {
          try await look(entry)
        }
      }
      try await readLive()
    case .created, .renamed, .turn, .deleted: break
    }
  }

  /// Shows the entries after the last shown one.
  private mutating func readOn() async throws {
    for try await entry in session.entries(from: next) {
      let position = entry.position ?? next
      live.drafts.removeAll { $0.id == entry.id }
      try await page.entry(entry)
      shown[position] = Face(entry)
      shown[position - Self.kept] = nil
      next = position + 1
    }
  }

  private mutating func readAgain(_ position: Int) async throws {
    guard shown[position] != nil else { return }
    try await look(try await session.entry(at: position))
  }

  /// Shows the changes of an entry that is shown already.
  private mutating func look(_ entry: Entry) async throws {
    guard let position = entry.position, let old = shown[position] else { return }
    let new = Face(entry)
    if new.content != old.content {
      try await page.revised(entry)
    } else {
      for attachment in entry.attachments where !old.attachments.contains(attachment.id) {
        try await page.attached(attachment)
      }
    }
    shown[position] = new
  }

  /// Reads the stored drafts and running invocations.
  private mutating func readLive() async throws {
    let drafts = try await session.drafts()
    live.drafts.removeAll { draft in !drafts.contains { $0.id == draft.id } }
    for draft in drafts { live.update(draft) }
    let running = try await session.invocations(running: true)
    let ended = live.runs.filter { run in !running.contains { $0.id == run.id } }
    if !ended.isEmpty {
      for invocation in try await session.invocations()
      where ended.contains(where: { $0.id == invocation.id }) && live.update(invocation) {
        try page.ended(invocation)
      }
    }
    for invocation in running { _ = live.update(invocation) }
  }
}
