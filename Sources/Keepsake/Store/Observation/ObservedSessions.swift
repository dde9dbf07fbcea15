public import Observation

/// The list of a store's sessions as a view shows it, newest first, kept up to date.
///
/// The store is followed from ``start()`` to ``stop()``, whoever changes it, in this or another process.
@MainActor @Observable
public final class ObservedSessions {
  /// The store whose sessions are shown.
  public let store: Store
  /// The conditions for the sessions that are shown.
  public let filter: Session.Filter

  /// The newest sessions, in the order of the list.
  public private(set) var sessions: [Session.Summary] = []
  /// Tells whether there are more sessions than the shown ones.
  public private(set) var hasMore = false
  /// The error of the last attempt to read the list; nil after reading succeeds.
  public private(set) var error: KeepsakeError?
  /// Tells whether the list has been read once.
  public private(set) var isLoaded = false

  /// The number of sessions to read at first, and with each ``loadMore()``.
  public let page: Int

  @ObservationIgnored private var following: Task<Void, Never>?
  @ObservationIgnored private var reading: Task<Void, Never>?
  @ObservationIgnored private var isBehind = false
  @ObservationIgnored private var limit: Int

  /// How long changes are collected before the list is read, so that a quickly growing session does not cause many reads.
  private static let pause: Duration = .milliseconds(100)

  /// Creates the observed list, which shows nothing until ``start()``.
  ///
  /// - Parameters:
  ///   - store: The store whose sessions are shown.
  ///   - filter: The conditions for the sessions that are shown.
  ///   - page: The number of sessions to read at first, and with each ``loadMore()``.
  public init(_ store: Store, filter: Session.Filter = .init(), page: Int = 50) {
    self.store = store
    self.filter = filter
    self.page = max(1, page)
    limit = self.page
  }

  isolated deinit {
    following?.cancel()
    reading?.cancel()
  }

  /// Reads the list and follows the store until ``stop()``; does nothing if it was started already.
  public func start() {
    guard following == nil else { return }
    // The events are requested before anything is read, so that no change is missed in between.
    let events = store.events
    following = Task { [weak self] in
      await self?.load()
      for await event in events where Self.changesList(event) {
        guard let self, !Task.isCancelled else { return }
        self.readSoon()
      }
    }
  }

  /// Stops following the store; what is shown stays.
  public func stop() {
    following?.cancel()
    following = nil
    reading?.cancel()
    reading = nil
  }

  /// Shows another page of sessions; an error is in ``error``.
  public func loadMore() async {
    guard hasMore else { return }
    limit = sessions.count + page
    await load()
  }

  private nonisolated static func changesList(_ event: StoreEvent) -> Bool {
    switch event {
    case .created, .appended, .revised, .attached, .renamed, .deleted, .changedElsewhere: true
    case .draft, .draftEnded, .bound, .invoked, .progress, .turn: false
    }
  }

  private func readSoon() {
    isBehind = true
    guard reading == nil else { return }
    reading = Task { [weak self] in
      while await self?.readOnce() == true { try? await Task.sleep(for: Self.pause) }
    }
  }

  /// Reads the list if it has changed; otherwise ends the reading and returns false.
  private func readOnce() async -> Bool {
    guard isBehind, !Task.isCancelled else {
      reading = nil
      return false
    }
    isBehind = false
    await load()
    return true
  }

  private func load() async {
    do {
      let page = try await store.sessions(filter, limit: limit)
      if sessions != page.sessions { sessions = page.sessions }
      if hasMore != (page.next != nil) { hasMore.toggle() }
      if error != nil { error = nil }
      if !isLoaded { isLoaded = true }
    } catch let failure as KeepsakeError {
      error = failure
    } catch {
      // Only a cancelled task gets here, and nobody waits for its result.
    }
  }
}
