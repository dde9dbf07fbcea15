#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Observation

/// A session as a view shows it: its newest entries, turns, drafts and invocations, kept up to date.
///
/// The session is followed from ``start()`` to ``stop()``, whoever changes it, in this or another process. Entries are changed
/// in place and added at the end, so that a list redraws as little as possible.
@MainActor @Observable
public final class ObservedSession {
  /// The session that is shown.
  public let session: Session

  /// The newest entries that are shown, in order.
  public internal(set) var entries: [Entry] = []
  /// The drafts, oldest first: those that stream now, and those that a crash interrupted.
  public internal(set) var drafts: [Draft.Snapshot] = []
  /// The turns of the entries, oldest first, with their outcomes.
  public internal(set) var turns: [Turn] = []
  /// The runs of tools and of the app's steps in these turns, oldest first, running or ended.
  public internal(set) var runs: [Run] = []
  /// The session's title; nil if it has none.
  public internal(set) var title: String?
  /// The error of the last attempt to read the session; nil after reading succeeds.
  public internal(set) var error: KeepsakeError?
  /// Tells whether the session was deleted while it was observed.
  public internal(set) var isDeleted = false
  /// Tells whether the stored entries have been read once.
  public internal(set) var isLoaded = false
  /// Tells whether there are entries before the shown ones.
  public internal(set) var hasEarlier = false

  /// The number of entries to read at first, and with each ``loadEarlier()``.
  public let page: Int
  /// The conditions for the entries, drafts, turns and runs that are shown.
  public let filter: Filter

  /// All entries that were read, without gaps: the shown entries, and the hidden entries between them.
  @ObservationIgnored var window: [Entry] = []
  @ObservationIgnored private var following: Task<Void, Never>?
  @ObservationIgnored private var isLoadingEarlier = false

  /// A run of a tool, or of a step of the app, with its progress.
  public struct Run: Sendable, Hashable, Identifiable {
    /// The recorded invocation.
    public internal(set) var invocation: Invocation
    /// The progress from 0 to 1, as the run reported it; nil before the first report.
    public internal(set) var fraction: Double?
    /// The note of the last progress report.
    public internal(set) var note: String?
    /// The attachments that the run has made so far, even if no entry shows them yet.
    public internal(set) var attachments: [Entry.Attachment]

    /// The id of the invocation.
    public var id: UUID { invocation.id }
    /// The outcome of the run; nil while it is running.
    public var outcome: Invocation.Outcome? { invocation.outcome }
  }

  /// The conditions for what is shown of a session.
  public struct Filter: Sendable, Hashable {
    /// The lane to show, together with everything that belongs to no lane; nil for all lanes.
    public var lane: String?
    /// The reader: a person does not see what only a model may see, and the other way round; `everyone` sees everything.
    public var reader: Entry.Visibility

    /// Creates a filter; by default it shows everything.
    public init(lane: String? = nil, reader: Entry.Visibility = .everyone) {
      self.lane = lane
      self.reader = reader
    }
  }

  /// Creates the observed session, which shows nothing until ``start()``.
  ///
  /// - Parameters:
  ///   - session: The session to show.
  ///   - page: The number of entries to read at first, and with each ``loadEarlier()``.
  ///   - filter: The conditions for what is shown.
  public init(_ session: Session, page: Int = 50, filter: Filter = .init()) {
    self.session = session
    self.page = max(1, page)
    self.filter = filter
  }

  isolated deinit { following?.cancel() }

  /// The last draft that is streaming now; nil if none is.
  public var draft: Draft.Snapshot? { drafts.last { !$0.isInterrupted } }

  /// The runs that have not ended.
  public var running: [Run] { runs.filter { $0.outcome == nil } }

  /// The position of the first entry that was read; 0 without entries.
  public var firstPosition: Int { window.first?.position ?? 0 }

  /// Reads the stored entries and follows the session until ``stop()``; does nothing if it was started already.
  public func start() {
    guard following == nil else { return }
    // The events are requested before anything is read, so that no change is missed in between.
    let events = session.events
    following = Task { [weak self] in
      await self?.load()
      for await event in events {
        guard let self, !Task.isCancelled else { return }
        await self.apply(event)
      }
    }
  }

  /// Stops following the session; what is shown stays.
  public func stop() {
    following?.cancel()
    following = nil
  }

  /// Reads the page of entries before the shown ones, and shows it; an error is in ``error``.
  public func loadEarlier() async {
    guard hasEarlier, !isLoadingEarlier else { return }
    isLoadingEarlier = true
    defer { isLoadingEarlier = false }
    let first = firstPosition
    await reading {
      let earlier = try await session.observed(page, before: first, filter)
      // The session may have been read anew in the meantime.
      guard firstPosition == first else { return }
      window.insert(contentsOf: earlier.entries, at: 0)
      entries.insert(contentsOf: earlier.entries.filter(filter.shows), at: 0)
      hasEarlier = firstPosition > 0
      // The first shown turn may have begun before the first shown entry.
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
