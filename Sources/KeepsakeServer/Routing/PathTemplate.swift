/// The path of an endpoint, some of whose segments are names for what stands there, such as `/s/{session}`.
struct PathTemplate: Sendable, CustomStringConvertible {
  /// A segment of a path.
  enum Part: Sendable, Equatable {
    case fixed(String)
    /// A segment that may have any text, and the name by which it is read.
    case named(String)
  }

  let description: String
  let parts: [Part]

  init(_ text: StaticString) {
    description = text.description
    parts = description.split(separator: "/").map { segment in
      segment.hasPrefix("{") && segment.hasSuffix("}")
        ? .named(String(segment.dropFirst().dropLast())) : .fixed(String(segment))
    }
  }

  /// The texts of the named segments of a path that has this form; nil for any other path.
  func values(in path: [String]) -> [String: String]? {
    guard path.count == parts.count else { return nil }
    var values: [String: String] = [:]
    for (part, segment) in zip(parts, path) {
      switch part {
      case .fixed(let text): if text != segment { return nil }
      case .named(let name): values[name] = segment
      }
    }
    return values
  }

  func isBelow(_ first: String) -> Bool { parts.first == .fixed(first) }

  /// The number of fixed segments. Of two forms that a path has, the one with more of them is meant.
  var weight: Int { parts.count { if case .fixed = $0 { true } else { false } } }
}
