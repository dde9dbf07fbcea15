import Foundation

/// The number of histories that a test makes, and their length, which `KEEPSAKE_HISTORY_SEEDS` and `KEEPSAKE_HISTORY_STEPS` set.
extension RandomHistory {
  static let seeds = UInt64(setting("FIRST") ?? 1)...UInt64(setting("SEEDS") ?? 2)
  static let steps = setting("STEPS") ?? 120

  static func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment["KEEPSAKE_HISTORY_\(name)"].flatMap { Int($0) }
  }
}
