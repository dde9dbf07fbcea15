import KeepsakeFiles

/// Looks regularly, while somebody observes a store that shares the sessions of a hub, for what other stores changed.
///
/// A session that is observed by itself is taken over, so that its observers get the same events as from another process. Observers
/// of all sessions are told which sessions changed. If the hub keeps lists, these sessions are not taken over: an observer reads again
/// what it shows.
final class HubWatch: Sendable {
  /// The time between two looks at a hub.
  static let pause = Duration.seconds(1)
  /// The longest time between two looks while the hub can't be reached.
  private static let longestPause = Duration.seconds(10)

  private let task: Task<Void, Never>
  private let lastFailure: Locked<KeepsakeError?>

  /// Begins to look at the hub.
  init(_ sharing: SharedWriter) {
    let failure = Locked<KeepsakeError?>(nil)
    lastFailure = failure
    task = Task {
      await Self.run(sharing) { error in failure.withLock { $0 = error as? KeepsakeError } }
    }
  }

  /// The error of the last look at the hub; nil if that look succeeded, or the first look is still under way.
  var failure: KeepsakeError? { lastFailure.withLock { $0 } }

  /// Tells the watch to end soon, without waiting for it.
  func stop() { task.cancel() }

  /// Waits until the watch has ended.
  func join() async { await task.value }

  /// The time between two looks at a hub, which is longer if each call may cost money.
  static func pause(of hub: any Hub) -> Duration {
    hub.identity.abilities.contains(.metered) ? pause * 5 : pause
  }

  private static func run(
    _ sharing: SharedWriter, telling told: @Sendable ((any Error)?) -> Void
  ) async {
    let usual = pause(of: sharing.hub)
    var look = HubLook(sharing)
    var pause = usual
    while !Task.isCancelled {
      do {
        try await look.run()
        told(nil)
        pause = usual
      } catch {
        // An observer has nobody to throw to. Whoever reads or writes next is told that the hub can't be reached.
        told(error)
        pause = min(pause * 2, longestPause)
      }
      try? await Task.sleep(for: pause)
    }
  }
}
