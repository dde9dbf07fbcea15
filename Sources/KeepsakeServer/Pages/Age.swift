#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How long ago something was, in the largest unit that suits.
enum Age {
  static func text(of date: Date, at now: Date) -> String {
    let seconds = now.timeIntervalSince(date)
    if seconds < 60 { return "now" }
    let units: [(seconds: Double, name: String)] = [
      (365 * 86_400, "y"), (30 * 86_400, "mo"), (86_400, "d"), (3600, "h"), (60, "min"),
    ]
    let unit = units.first { seconds >= $0.seconds } ?? (60, "min")
    return "\(Int(min(seconds / unit.seconds, 9_999))) \(unit.name)"
  }
}
