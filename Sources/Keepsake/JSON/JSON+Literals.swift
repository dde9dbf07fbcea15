// JSON has no `nil` literal, because an absent value, as in `entry.metadata = nil`, is not the value `null`.

extension JSON: ExpressibleByStringLiteral {
  /// Makes a string; for JSON text, see ``init(validating:)-(String)``.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension JSON: ExpressibleByStringInterpolation {}

extension JSON: ExpressibleByBooleanLiteral {
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSON: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int64) { self = .number(value) }
}

extension JSON: ExpressibleByFloatLiteral {
  /// Makes a number with the shortest text that reads as the same double.
  public init(floatLiteral value: Double) {
    var writer = JSONWriter(reserving: 24)
    do { try writer.double(value) } catch { preconditionFailure("JSON has no number \(value).") }
    self.init(unchecked: writer.bytes)
  }
}

extension JSON: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
}

extension JSON: ExpressibleByDictionaryLiteral {
  /// Makes an object of members in the given order; repeated keys are kept.
  public init(dictionaryLiteral members: (String, JSON)...) { self = .object(members) }
}
