#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import Keepsake

/// Writes numbers, sizes and times for the readers of a page.
package enum Phrase {
  /// A number with a noun, such as `1 entry`, `5 entries` or `12,000 entries`.
  package static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number.grouped) \(number == 1 ? one : many ?? one + "s")"
  }

  /// A size such as `27.8 KB`, where a KB is a thousand bytes, as in file managers.
  package static func size(_ bytes: Int64) -> String { ByteCount.text(bytes) }

  /// A time for programs, such as `2026-11-21T14:53:07.25Z`.
  package static func machine(_ date: Date) -> String { RFC3339.text(date.microseconds) }

  /// A day such as `2026-11-21`.
  package static func day(_ date: Date) -> String { String(machine(date).prefix { $0 != "T" }) }

  /// A month such as `November 2026`.
  static func month(_ date: Date) -> String {
    let names = [
      "January", "February", "March", "April", "May", "June", "July", "August", "September",
      "October", "November", "December",
    ]
    let parts = day(date).split(separator: "-")
    guard parts.count == 3, let number = Int(parts[1]), names.indices.contains(number - 1) else {
      return day(date)
    }
    return "\(names[number - 1]) \(parts[0])"
  }

  /// An hour and minute such as `14:53`.
  package static func minute(_ date: Date) -> String {
    String(machine(date).drop { $0 != "T" }.dropFirst().prefix(5))
  }

  /// A time such as `2026-11-21 14:53 UTC`.
  package static func time(_ date: Date) -> String { "\(day(date)) \(minute(date)) UTC" }

  /// The beginning of a call's arguments, on one line: the names and values of an object, or the value of its only member.
  static func arguments(_ json: String, limit: Int) -> String {
    guard json.utf8.count <= 4096, json.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"),
      let members = (try? JSON(validating: json))?.members, !members.isEmpty
    else { return excerpt(json, limit: limit) }
    let parts = members.map { key, value in
      let value = value.stringValue ?? value.text
      return members.count == 1 ? value : "\(key): \(value)"
    }
    return excerpt(parts.joined(separator: "  "), limit: limit)
  }

  /// The beginning of a text, on one line.
  package static func excerpt(_ text: String, limit: Int) -> String {
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
  /// The name of the kind in the heading of an entry.
  var heading: String {
    name.prefix(1).uppercased() + name.dropFirst()
  }

  /// The classes of an entry for the style sheet.
  var cssClass: String {
    switch self {
    case .toolCalls: "entry tool-calls"
    case .toolOutput: "entry tool-output"
    default: "entry \(rawValue)"
    }
  }

  /// Whether the text of entries of this kind is written for people, in Markdown.
  var isProse: Bool { self != .toolOutput && self != .unknown && self != .toolCalls }
}

extension HTML {
  /// Writes the hour and minute of an entry; nothing where the time is unknown, which the day above says.
  package mutating func minute(of date: Date?) {
    guard let date else { return }
    element(
      "time", ["datetime": Phrase.machine(date), "title": Phrase.time(date)],
      text: Phrase.minute(date))
  }

  /// Writes the day of the entries that follow, or that their time is unknown.
  package mutating func day(_ day: String?) {
    element("p", ["class": "day"]) { html in
      if let day {
        html.element("time", ["datetime": day], text: day)
      } else {
        html.text("time unknown")
      }
    }
  }
}
