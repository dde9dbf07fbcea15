public import Observation

/// The list of a store's sessions as a view shows it: the newest first, kept up to date.
///
/// It follows the store from ``start()`` to ``stop()``, whoever changes it, in this process or another.
@MainActor @Observable
public final class ObservedSessions {
  public let store: Store
  /// Which sessions are shown.
  public let filter: Session.Filter

  /// The newest sessions, in the order of the list.
  public private(set) var sessions: [Session.Summary] = []
  /// Whether there are more than are shown.
  public private(set) var hasMore = false
  /// What kept it from reading the list; nil again once reading succeeds.
  public private(set) var error: KeepsakeError?
  /// Whether the list has been read once.
  public private(set) var isLoaded = false

  /// How many sessions are read at first, and by ``loadMore()``.
  public let page: Int

  @ObservationIgnored private var following: Task<Void, Never>?
  @ObservationIgnored private var reading: Task<Void, Never>?
  @ObservationIgnored private var isBehind = false
  @ObservationIgnored private var limit: Int

  /// How long what changes is gathered, so that a session that grows quickly does not have the list read each time.
  private static let pause: Duration = .milliseconds(100)

  /// Shows the sessions of a store, from the moment at which it is started.
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

  /// Reads the list and follows what happens, until ``stop()``. Started already, it does nothing.
  public func start() {
    guard following == nil else { return }
    // Asked for before anything is read, so that nothing falls between the two.
    let events = store.events
    following = Task { [weak self] in
      await self?.load()
      for await event in events where Self.changesList(event) {
        guard let self, !Task.isCancelled else { return }
        self.readSoon()
      }
    }
  }

  /// Stops following; what is shown stays.
  public func stop() {
    following?.cancel()
    following = nil
    reading?.cancel()
    reading = nil
  }

  /// Shows a page more.
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

  /// Reads the list if it has changed; false, and nobody reads any more, if not.
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
      // Only a cancelled task gets here: whoever stopped it does not wait for what it reads.
    }
  }
}
