import Foundation

/// What the environment asks of tests that can go on for longer than they do in the check, as they do in tools/soak.
package enum LongRun {
  /// The seeds from `KEEPSAKE_HISTORY_FIRST` to `KEEPSAKE_HISTORY_SEEDS`; those of the check where neither is set.
  package static func seeds(otherwise usual: ClosedRange<UInt64>) -> ClosedRange<UInt64> {
    let (first, last) = (number("KEEPSAKE_HISTORY_FIRST"), number("KEEPSAKE_HISTORY_SEEDS"))
    if first == nil && last == nil { return usual }
    return UInt64(first ?? 1)...UInt64(last ?? first ?? 1)
  }

  /// A number in the environment; nil where there is none of that name.
  package static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }
}
