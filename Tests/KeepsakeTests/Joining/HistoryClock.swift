import Foundation
import KeepsakeFiles

@testable import Keepsake

/// A clock that goes on when it is told to, so that a list by time has the same order whenever a history is run.
final class HistoryClock: Sendable {
  private let seconds = Locked<Double>(1_800_000_000)

  func tick(seconds count: Double = 1) { seconds.withLock { $0 += count } }

  /// Options of a store that goes by this clock.
  var options: Store.Options {
    var options = Store.Options.withoutIndexing
    options.now = { [seconds] in Date(timeIntervalSince1970: seconds.withLock { $0 }) }
    return options
  }
}
