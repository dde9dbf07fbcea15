import KeepsakeTestSupport

/// The number of histories that a test makes, and their length, which `KEEPSAKE_HISTORY_SEEDS` and `KEEPSAKE_HISTORY_STEPS` set.
extension RandomHistory {
  static let seeds = LongRun.seeds(otherwise: 1...2)
  static let steps = setting("STEPS") ?? 120

  static func setting(_ name: String) -> Int? {
    LongRun.number("KEEPSAKE_HISTORY_\(name)")
  }
}
