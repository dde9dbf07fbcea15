#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Observation

/// A session as a view shows it: its newest entries, their turns, what is streaming and what runs, kept up to date.
///
/// It follows the session from ``start()`` to ``stop()``, whoever changes it, in this process or another. Entries are
/// changed where they stand and added at the end, so that a list redraws no more than it must.
@MainActor @Observable
public final class ObservedSession {
  public let session: Session

  /// The newest entries that are shown, in their order.
  public internal(set) var entries: [Entry] = []
  /// What is streaming now, oldest first; also drafts that a crash interrupted.
  public internal(set) var drafts: [Draft.Snapshot] = []
  /// The turns of the entries, oldest first, with how each ended.
  public internal(set) var turns: [Turn] = []
  /// The runs of tools and of the app's steps in these turns, oldest first: those that go on, and how the others ended.
  public internal(set) var runs: [Run] = []
  public internal(set) var title: String?
  /// What kept it from reading the session; nil again once reading succeeds.
  public internal(set) var error: KeepsakeError?
  /// Whether the session was deleted while it was observed.
  public internal(set) var isDeleted = false
  /// Whether what is stored has been read once.
  public internal(set) var isLoaded = false
  /// Whether there are entries before those that are shown.
  public internal(set) var hasEarlier = false

  /// How many entries are read at first, and by ``loadEarlier()``.
  public let page: Int
  /// Which entries, drafts, turns and runs are shown.
  public let filter: Filter

  /// All that was read, without gaps: the entries that are shown, and between them those that are not.
  @ObservationIgnored var window: [Entry] = []
  @ObservationIgnored private var following: Task<Void, Never>?
  @ObservationIgnored private var isLoadingEarlier = false

  /// A run of a tool, or of a step of the app, and how far it has got.
  public struct Run: Sendable, Hashable, Identifiable {
    public internal(set) var invocation: Invocation
    /// From 0 to 1, as the run reported it; nil before it did.
    public internal(set) var fraction: Double?
    public internal(set) var note: String?
    /// What it has made so far, also what no entry shows yet.
    public internal(set) var attachments: [Entry.Attachment]

    public var id: UUID { invocation.id }
    /// nil while it goes on.
    public var outcome: Invocation.Outcome? { invocation.outcome }
  }

  /// What is shown of a session.
  public struct Filter: Sendable, Hashable {
    /// What belongs to this lane, and what belongs to none; nil for all lanes.
    public var lane: String?
    /// Who looks: a person does not see what only a model sees, nor the other way round. `everyone` sees all of it.
    public var reader: Entry.Visibility

    public init(lane: String? = nil, reader: Entry.Visibility = .everyone) {
      self.lane = lane
      self.reader = reader
    }
  }

  /// Shows a session, from the moment at which it is started.
  public init(_ session: Session, page: Int = 50, filter: Filter = .init()) {
    self.session = session
    self.page = max(1, page)
    self.filter = filter
  }

  isolated deinit { following?.cancel() }

  /// The one that streams now, if one does.
  public var draft: Draft.Snapshot? { drafts.last { !$0.isInterrupted } }

  /// The runs that have not ended.
  public var running: [Run] { runs.filter { $0.outcome == nil } }

  /// The position of the first entry that was read; 0 when there are none.
  public var firstPosition: Int { window.first?.position ?? 0 }

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
      let earlier = try await session.observed(page, before: first, filter)
      // It may have been read anew meanwhile.
      guard firstPosition == first else { return }
      window.insert(contentsOf: earlier.entries, at: 0)
      entries.insert(contentsOf: earlier.entries.filter(filter.shows), at: 0)
      hasEarlier = firstPosition > 0
      // The first turn that was shown may have begun before the first entry that was.
      let known = Set(earlier.turns.map(\.number))
      turns = earlier.turns + turns.filter { !known.contains($0.number) }
      let shown = Set(runs.map(\.id))
      runs.insert(contentsOf: earlier.runs.filter { !shown.contains($0.id) }, at: 0)
    }
  }
}

extension ObservedSession.Filter {
  func shows(_ entry: Entry) -> Bool { shows(lane: entry.lane) && shows(entry.visibility) }

  func shows(_ draft: Draft.Snapshot) -> Bool { shows(lane: draft.lane) && shows(draft.visibility) }

  func shows(lane: String?) -> Bool {
    guard let wanted = self.lane, let lane else { return true }
    return lane.isSameText(as: wanted)
  }

  private func shows(_ visibility: Entry.Visibility) -> Bool {
    reader == .everyone || visibility == .everyone || visibility == reader
  }
}
