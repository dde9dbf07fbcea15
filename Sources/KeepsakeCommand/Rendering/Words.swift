#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// Formats numbers, sizes and times for people.
enum Words {
  /// Returns a number with its noun, such as `1 entry` or `5 entries`.
  static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(number == 1 ? one : many ?? one + "s")"
  }

  static func entries(_ number: Int) -> String { count(number, "entry", "entries") }

  /// Returns a size such as `27.8 KB`; a KB has 1,000 bytes, as in file managers.
  static func size(_ bytes: Int64) -> String { ByteCount.text(bytes) }

  /// Returns an amount of money, such as `1,234.50`, or `0.0012` for an amount below one.
  static func money(_ amount: Decimal) -> String {
    let scale = abs(amount) < 1 ? 10_000 : 100
    let rounded = abs(amount) * Decimal(scale) + Decimal(5) / 10
    guard let units = Int(rounded.description.prefix { $0 != "." }) else {
      return amount.description
    }
    let fraction = String(scale + units % scale).dropFirst()
    return "\(amount < 0 ? "-" : "")\((units / scale).grouped).\(fraction)"
  }

  /// Returns the time since a date in the largest suitable unit, such as `5 min` or `3 d`.
  static func age(of date: Date, at now: Date) -> String {
    let seconds = now.timeIntervalSince(date)
    if seconds < 60 { return "now" }
    let units: [(seconds: Double, name: String)] = [
      (365 * 86_400, "y"), (30 * 86_400, "mo"), (7 * 86_400, "w"), (86_400, "d"), (3600, "h"),
      (60, "min"),
    ]
    let unit = units.first { seconds >= $0.seconds * ($0.name == "w" ? 2 : 1) } ?? (60, "min")
    let number = seconds / unit.seconds
    return number < 10_000 ? "\(Int(number)) \(unit.name)" : "long"
  }

  /// Returns a duration such as `20 s` or `3 min`, rounded up, because finishing early disturbs nobody.
  static func duration(_ seconds: Double) -> String {
    if seconds < 100 { return "\(max(1, Int(seconds.rounded(.up)))) s" }
    let minutes = (seconds / 60).rounded(.up)
    return minutes < 100 ? "\(Int(minutes)) min" : "\(Int(min(minutes / 60, 9999).rounded(.up))) h"
  }

  /// Returns a time in UTC, such as `2026-11-21 14:53 UTC`.
  static func time(_ date: Date) -> String { "\(minute(of: date.microseconds)) UTC" }

  /// Returns a time by the person's own clock on a terminal, such as `2026-11-21 15:53`, and otherwise in UTC.
  static func time(_ date: Date, _ terminal: Terminal) -> String {
    let microseconds = date.microseconds
    guard let ahead = terminal.secondsAhead?(microseconds / 1_000_000), ahead != 0 else {
      return time(date)
    }
    let (local, isTooFar) = microseconds.addingReportingOverflow(Int64(ahead) * 1_000_000)
    return isTooFar ? time(date) : minute(of: local)
  }

  private static func minute(of microseconds: Int64) -> String {
    let text = RFC3339.text(microseconds)
    guard let end = text.firstIndex(of: "T") else { return text }
    return "\(text[..<end]) \(text[end...].dropFirst().prefix(5))"
  }

  /// Returns the first digits of a session's id, which are unique in most stores.
  static func short(_ id: UUID) -> String { String(id.text.prefix(8)) }

  static func short(_ id: Artifact.ID) -> String { String(id.digest.hex.prefix(12)) }
}
