#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Numbers, sizes and times as people read them on a page.
enum Phrase {
  /// `1 entry`, `5 entries`, `12,000 entries`.
  static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number.grouped) \(number == 1 ? one : many ?? one + "s")"
  }

  /// `27.8 KB`; a thousand bytes are a KB, as file managers count them.
  static func size(_ bytes: Int64) -> String { ByteCount.text(bytes) }

  /// `2026-11-21T14:53:07.25Z`, for programs.
  static func machine(_ date: Date) -> String { RFC3339.text(date.microseconds) }

  /// `2026-11-21`.
  static func day(_ date: Date) -> String { String(machine(date).prefix { $0 != "T" }) }

  /// `14:53`.
  static func minute(_ date: Date) -> String {
    String(machine(date).drop { $0 != "T" }.dropFirst().prefix(5))
  }

  /// `2026-11-21 14:53 UTC`.
  static func time(_ date: Date) -> String { "\(day(date)) \(minute(date)) UTC" }

  /// The beginning of a text on one line.
  static func excerpt(_ text: String, limit: Int) -> String {
    var line = ""
    var count = 0
    for character in text.prefix(limit * 4) {
      let isGap = character.isWhitespace || character.isNewline
      if isGap, line.isEmpty || line.last == " " { continue }
      if count == limit { return line + "…" }
      line.append(isGap ? " " : character)
      count += 1
    }
    return line
  }
}

extension Entry.Kind {
  /// As a page calls it.
  var heading: String {
    name.prefix(1).uppercased() + name.dropFirst()
  }

  /// For style sheets.
  var cssClass: String {
    switch self {
    case .toolCalls: "entry tool-calls"
    case .toolOutput: "entry tool-output"
    default: "entry \(rawValue)"
    }
  }

  /// Whether its text is written for people, in Markdown.
  var isProse: Bool { self != .toolOutput && self != .unknown && self != .toolCalls }
}

extension HTML {
  /// The hour and minute of an entry; nothing where nobody knows it, which the day above it says.
  mutating func minute(of date: Date?) {
    guard let date else { return }
    element(
      "time", ["datetime": Phrase.machine(date), "title": Phrase.time(date)],
      text: Phrase.minute(date))
  }

  /// The day of the entries that follow.
  mutating func day(_ day: String?) {
    element("p", ["class": "day"]) { html in
      if let day {
        html.element("time", ["datetime": day], text: day)
      } else {
        html.text("time unknown")
      }
    }
  }
}
