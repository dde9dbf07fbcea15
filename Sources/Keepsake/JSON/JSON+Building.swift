extension JSON {
  /// The value `null`.
  public static let null = JSON(unchecked: Array("null".utf8))

  /// The value `true` or `false`.
  public static func bool(_ value: Bool) -> JSON {
    JSON(unchecked: Array((value ? "true" : "false").utf8))
  }

  /// Makes a whole number.
  public static func number(_ value: Int64) -> JSON {
    var writer = JSONWriter(reserving: 20)
    writer.int(value)
    return JSON(unchecked: writer.bytes)
  }

  /// Makes a string, with no more escapes than needed.
  public static func string(_ value: String) -> JSON {
    var writer = JSONWriter(reserving: value.utf8.count + 2)
    writer.string(value)
    return JSON(unchecked: writer.bytes)
  }

  /// Makes an array of elements, whose texts stay as they are.
  ///
  /// Nested arrays may become deeper than ``depthLimit``; the text of such a value can't be validated again.
  public static func array(_ elements: [JSON]) -> JSON {
    var writer = JSONWriter(reserving: elements.reduce(2) { $0 + $1.bytes.count + 1 })
    writer.beginArray()
    for element in elements { writer.raw(element) }
    writer.endArray()
    return JSON(unchecked: writer.bytes)
  }

  /// Makes an object of members in the given order, whose texts stay as they are.
  ///
  /// Repeated keys are kept. Nested objects may become deeper than ``depthLimit``; the text of such a value can't be validated
  /// again.
  public static func object(_ members: [(String, JSON)]) -> JSON {
    var writer = JSONWriter(
      reserving: members.reduce(2) { $0 + $1.0.utf8.count + $1.1.bytes.count + 4 })
    writer.beginObject()
    for (key, value) in members {
      writer.key(escaping: key)
      writer.raw(value)
    }
    writer.endObject()
    return JSON(unchecked: writer.bytes)
  }
}
