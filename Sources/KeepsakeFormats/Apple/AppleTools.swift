import Keepsake

/// The tools that instructions describe, in Apple's form.
enum AppleTools {
  /// Descriptions that other frameworks keep without a frame are given one.
  static func json(_ tools: JSON) -> JSON {
    guard let elements = tools.arrayValue else { return tools }
    if elements.allSatisfy({ $0["function"] != nil || $0["name"] == nil }) { return tools }
    return .array(
      elements.map {
        $0["function"] == nil && $0["name"] != nil
          ? .object([("type", .string("function")), ("function", $0)]) : $0
      })
  }
}
