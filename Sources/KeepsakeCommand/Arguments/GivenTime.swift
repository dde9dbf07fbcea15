#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// A time as a person gives it: a date, a time in RFC 3339, or a duration before now (`90min`, `12h`, `7d`, `2w`).
enum GivenTime: Sendable, Hashable {
  case at(Date)
  /// A number of seconds before now.
  case ago(Double)

  init?(_ text: String) {
    let units: KeyValuePairs<String, Double> = ["min": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400]
    for (unit, seconds) in units where text.hasSuffix(unit) {
      if let number = Double(text.dropLast(unit.count)), number >= 0, number.isFinite {
        self = .ago(number * seconds)
        return
      }
    }
    let whole = text.count == 10 ? "\(text)T00:00:00Z" : text
    guard let time = RFC3339.microseconds(whole) else { return nil }
    self = .at(Date(microseconds: time))
  }

  func date(at now: Date) -> Date {
    switch self {
    case .at(let date): date
    case .ago(let seconds): now.addingTimeInterval(-seconds)
    }
  }
}

extension Reading where Value == GivenTime {
  static var time: Reading {
    Reading(
      wanted: "a date (2026-11-21), a time (2026-11-21T14:53:00Z) or an age (12h, 7d)"
    ) { GivenTime($0) }
  }
}
