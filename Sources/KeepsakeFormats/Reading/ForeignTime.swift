#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads times in the spellings of foreign programs.
enum ForeignTime {
  /// The time in a text, as a date or as a number. A date without an offset is in UTC, as SQLite writes it.
  static func date(_ text: String) -> Date? {
    let microseconds = RFC3339.microseconds(text) ?? RFC3339.microseconds(text + "Z")
    return microseconds.map { Date(microseconds: $0) } ?? Double(text).flatMap(date)
  }

  /// The time in a string or a number; nil where the value is no time.
  static func date(_ json: JSON) -> Date? {
    json.stringValue.flatMap(date) ?? json.doubleValue.flatMap(date)
  }

  /// The time at a number of seconds or milliseconds after 1970; nil outside the years 1970 to 9999.
  static func date(_ number: Double) -> Date? {
    // A number from here on is in milliseconds: read as seconds, it would lie beyond the year 5000.
    let seconds = number < millisecondsFrom ? number : number / 1000
    guard (1...lastSecond).contains(seconds) else { return nil }
    return Date(timeIntervalSince1970: seconds)
  }

  private static let millisecondsFrom = 1e11
  /// The last second of the year 9999.
  private static let lastSecond = 253_402_300_799.0
}

extension JSONObject {
  /// The time in a member; nil where the member is no time.
  func time(_ key: String) -> Date? {
    string(key).flatMap(ForeignTime.date) ?? json(key).flatMap(ForeignTime.date)
  }
}
