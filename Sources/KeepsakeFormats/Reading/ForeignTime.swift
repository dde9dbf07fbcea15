#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads times as foreign programs write them.
enum ForeignTime {
  /// The time that a text says, as a date or as a number; one without an offset is of UTC, as SQLite writes it.
  static func date(_ text: String) -> Date? {
    let microseconds = RFC3339.microseconds(text) ?? RFC3339.microseconds(text + "Z")
    return microseconds.map { Date(microseconds: $0) } ?? Double(text).flatMap(date)
  }

  /// The time that a value says, be it a text or a number; nil where it says none.
  static func date(_ json: JSON) -> Date? {
    json.stringValue.flatMap(date) ?? json.doubleValue.flatMap(date)
  }

  /// The time that is so many seconds or milliseconds after 1970.
  static func date(_ number: Double) -> Date? {
    // As seconds, a count of milliseconds would be of a year beyond 5000.
    let seconds = number < millisecondsFrom ? number : number / 1000
    guard (1...lastSecond).contains(seconds) else { return nil }
    return Date(timeIntervalSince1970: seconds)
  }

  private static let millisecondsFrom = 1e11
  /// The last second of the year 9999.
  private static let lastSecond = 253_402_300_799.0
}

extension JSONObject {
  /// The time that a member says; nil where it says none.
  func time(_ key: String) -> Date? {
    string(key).flatMap(ForeignTime.date) ?? json(key).flatMap(ForeignTime.date)
  }
}
