import Keepsake

/// JSON laid out for people: a member or an element on each line.
enum JSONLayout {
  /// What is larger than this stands as it is: nobody reads it.
  private static let limit = 64 << 10

  static func text(_ json: JSON) -> String {
    json.bytes.count > limit ? json.text : text(json, margin: "\n")
  }

  /// - Parameters:
  ///   - json: A value; numbers and strings stay as they are spelled.
  ///   - margin: What each of its lines but the first begins with, after a line break.
  private static func text(_ json: JSON, margin: String) -> String {
    let inner = margin + "  "
    if let members = json.members, !members.isEmpty {
      let lines = members.map {
        "\(inner)\(JSON.string($0.key).text): \(text($0.value, margin: inner))"
      }
      return "{\(lines.joined(separator: ","))\(margin)}"
    }
    if let elements = json.arrayValue, !elements.isEmpty {
      let lines = elements.map { "\(inner)\(text($0, margin: inner))" }
      return "[\(lines.joined(separator: ","))\(margin)]"
    }
    return json.text
  }
}
