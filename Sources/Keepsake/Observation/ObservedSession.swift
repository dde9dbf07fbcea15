#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Observation

/// A session as a view shows it: its newest entries, what is streaming and what runs, kept up to date.
///
/// It follows the session from ``start()`` to ``stop()``, whoever changes it, in this process or another. Entries are
/// changed where they stand and added at the end, so that a list redraws no more than it must.
@MainActor @Observable
public final class ObservedSession {
  public let session: Session

  /// The newest entries, in their order, from ``firstPosition`` on.
  public private(set) var entries: [Entry] = []
  /// What is streaming now, oldest first; also drafts that a crash interrupted.
  public private(set) var drafts: [Draft.Snapshot] = []
  /// The runs of tools and of the app's steps that have not ended.
  public private(set) var running: [Run] = []
  public private(set) var title: String?
  /// What kept it from reading the session; nil again once reading succeeds.
  public private(set) var error: KeepsakeError?
  /// Whether the session was deleted while it was observed.
  public private(set) var isDeleted = false
  /// Whether what is stored has been read once.
  public private(set) var isLoaded = false

  /// How many entries are read at first, and by ``loadEarlier()``.
  public let page: Int

  @ObservationIgnored private var following: Task<Void, Never>?
  @ObservationIgnored private var isLoadingEarlier = false

  /// A run that has not ended, and how far it has got.
  public struct Run: Sendable, Hashable, Identifiable {
    public internal(set) var invocation: Invocation
    /// From 0 to 1, as the run reported it; nil before it did.
    public internal(set) var fraction: Double?
    public internal(set) var note: String?

    public var id: UUID { invocation.id }
  }

  /// Shows a session, from the moment at which it is started.
  public init(_ session: Session, page: Int = 50) {
    self.session = session
    self.page = max(1, page)
  }

  isolated deinit { following?.cancel() }

  /// The one that streams now, if one does.
  public var draft: Draft.Snapshot? { drafts.last { !$0.isInterrupted } }

  /// The position of the first entry that is shown; 0 when there are none.
  public var firstPosition: Int { entries.first?.position ?? 0 }

  /// Whether there are entries before those that are shown.
  public var hasEarlier: Bool { firstPosition > 0 }

  /// Reads what is stored and follows what happens, until ``stop()``. Started already, it does nothing.
  public func start() {
    guard following == nil else { return }
    // Asked for before anything is read, so that nothing falls between the two.
    let events = session.events
    following = Task { [weak self] in
      await self?.load()
      for await event in events {
        guard let self, !Task.isCancelled else { return }
        await self.apply(event)
      }
    }
  }

  /// Stops following; what is shown stays.
  public func stop() {
    following?.cancel()
    following = nil
  }

  /// Reads the page before what is shown and puts it in front.
  public func loadEarlier() async {
    guard hasEarlier, !isLoadingEarlier else { return }
    isLoadingEarlier = true
    defer { isLoadingEarlier = false }
    let first = firstPosition
    await reading {
      let earlier = try await session.entries(before: first, count: page)
      // It may have been read anew meanwhile.
      if firstPosition == first { entries.insert(contentsOf: earlier, at: 0) }
    }
  }
}

// MARK: - Following

extension ObservedSession {
  /// Reads everything that is shown, anew.
  private func load() async {
    await reading {
      let count = max(page, entries.count)
      let stored = try await session.entries(last: count)
      let drafts = try await session.drafts()
      let invocations = try await session.invocations(running: true)
      let title = try await session.summary().title
      show(stored)
      let streaming = drafts.map { draft in
        // What streams in this process is ahead of what is written of it.
        let shown = self.drafts.first { $0.id == draft.id }
        guard let shown, !draft.isInterrupted else { return draft }
        return shown.text.utf8.count > draft.text.utf8.count ? shown : draft
      }
      if self.drafts != streaming { self.drafts = streaming }
      let known = running
      let runs = invocations.map { invocation in
        var run = Run(invocation: invocation)
        if let old = known.first(where: { $0.id == invocation.id }) {
          run.fraction = old.fraction
          run.note = old.note
        }
        return run
      }
      if runs != known { running = runs }
      if self.title != title { self.title = title }
      if !isLoaded { isLoaded = true }
    }
  }

  /// Puts entries where they belong, and touches no more of what is shown than is different.
  private func show(_ stored: [Entry]) {
    guard let first = stored.first?.position else {
      if !entries.isEmpty { entries = [] }
      return
    }
    let end = first + stored.count
    // Shorter than before, or with a gap between: nothing of it can stay.
    if entries.isEmpty || firstPosition + entries.count > end
      || firstPosition + entries.count < first
    {
      if entries != stored { entries = stored }
      return
    }
    var added: [Entry] = []
    for (position, entry) in zip(first..., stored) {
      let index = position - firstPosition
      if index < 0 { continue }
      if index >= entries.count {
        added.append(entry)
      } else if entries[index] != entry {
        entries[index] = entry
      }
    }
    if !added.isEmpty { entries += added }
  }

  private func apply(_ event: StoreEvent) async {
    switch event {
    case .appended: await readOn()
    case .revised(_, let position): await readAgain(position)
    case .attached(_, let attachment), .bound(_, let attachment):
      // One that has no entry yet shows with it, once it has.
      if let position = attachment.position { await readAgain(position) }
    case .draft(_, let draft): update(draft)
    case .draftEnded(_, let id, _): drafts.removeAll { $0.id == id }
    case .invoked(_, let invocation): update(invocation)
    case .progress(_, let id, let fraction, let note):
      guard let index = running.firstIndex(where: { $0.id == id }) else { return }
      running[index].fraction = fraction
      running[index].note = note
    case .renamed:
      await reading {
        let title = try await session.summary().title
        if self.title != title { self.title = title }
      }
    case .deleted:
      isDeleted = true
      entries = []
      drafts = []
      running = []
    case .changedElsewhere: await load()
    case .created, .turn: break
    }
  }

  /// Reads what follows the last entry that is shown.
  private func readOn() async {
    await reading {
      while true {
        let last = firstPosition + entries.count - 1
        let new = try await session.entries(after: last, count: 256)
        if new.isEmpty { return }
        show(new)
        if new.count < 256 { return }
      }
    }
  }

  private func readAgain(_ position: Int) async {
    guard entries.indices.contains(position - firstPosition) else { return }
    await reading {
      let entry = try await session.entry(at: position)
      let index = position - firstPosition
      if entries.indices.contains(index), entries[index] != entry { entries[index] = entry }
    }
  }

  private func update(_ draft: Draft.Snapshot) {
    // It may have become an entry before this was told.
    if entries.contains(where: { $0.id == draft.id }) { return }
    if let index = drafts.firstIndex(where: { $0.id == draft.id }) {
      drafts[index] = draft
    } else {
      drafts.append(draft)
    }
  }

  private func update(_ invocation: Invocation) {
    let index = running.firstIndex { $0.id == invocation.id }
    if invocation.outcome != nil {
      if let index { running.remove(at: index) }
    } else if let index {
      running[index].invocation = invocation
    } else {
      running.append(Run(invocation: invocation))
    }
  }

  private func reading(_ body: () async throws -> Void) async {
    do {
      try await body()
      if error != nil { error = nil }
    } catch let failure as KeepsakeError {
      error = failure
    } catch {
      // Only a cancelled task gets here: whoever stopped it does not wait for what it reads.
    }
  }
}
