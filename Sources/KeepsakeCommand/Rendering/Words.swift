#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// Numbers, sizes and times as people read them.
enum Words {
  /// `1 entry`, `5 entries`.
  static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(number == 1 ? one : many ?? one + "s")"
  }

  static func entries(_ number: Int) -> String { count(number, "entry", "entries") }

  /// `27.8 KB`; a thousand bytes are a KB, as file managers count them.
  static func size(_ bytes: Int64) -> String { ByteCount.text(bytes) }

  /// `1,234.50`, and below one `0.0012`.
  static func money(_ amount: Decimal) -> String {
    let scale = abs(amount) < 1 ? 10_000 : 100
    let rounded = abs(amount) * Decimal(scale) + Decimal(5) / 10
    guard let units = Int(rounded.description.prefix { $0 != "." }) else {
      return amount.description
    }
    let fraction = String(scale + units % scale).dropFirst()
    return "\(amount < 0 ? "-" : "")\((units / scale).grouped).\(fraction)"
  }

  /// How long ago, in the largest unit that fits: `5 min`, `3 d`.
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

  /// `20 s`, `3 min`; rounded up, as nobody minds when it is done before.
  static func duration(_ seconds: Double) -> String {
    if seconds < 100 { return "\(max(1, Int(seconds.rounded(.up)))) s" }
    let minutes = (seconds / 60).rounded(.up)
    return minutes < 100 ? "\(Int(minutes)) min" : "\(Int(min(minutes / 60, 9999).rounded(.up))) h"
  }

  /// `2026-11-21 14:53 UTC`.
  static func time(_ date: Date) -> String { "\(minute(of: date.microseconds)) UTC" }

  /// The same in UTC; on a terminal by the person's own clock: `2026-11-21 15:53`.
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

  /// The first digits of a session's id: enough to tell it from the others of most stores.
  static func short(_ id: UUID) -> String { String(id.uuidString.lowercased().prefix(8)) }

  static func short(_ id: Artifact.ID) -> String { String(id.digest.hex.prefix(12)) }
}
