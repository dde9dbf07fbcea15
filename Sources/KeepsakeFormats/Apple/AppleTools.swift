import Keepsake

/// Converts descriptions of tools to Apple's form.
enum AppleTools {
  /// Returns the descriptions, each in Apple's frame `{"type":"function","function":…}`, which other frameworks leave
  /// out.
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
