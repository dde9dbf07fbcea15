extension JSON {
  /// The value `null`.
  public static let null = JSON(unchecked: Array("null".utf8))

  /// The value `true` or `false`.
  public static func bool(_ value: Bool) -> JSON {
    JSON(unchecked: Array((value ? "true" : "false").utf8))
  }

  /// A whole number.
  public static func number(_ value: Int64) -> JSON {
    var writer = JSONWriter(reserving: 20)
    writer.int(value)
    return JSON(unchecked: writer.bytes)
  }

  /// A string, escaped no more than it must be.
  public static func string(_ value: String) -> JSON {
    var writer = JSONWriter(reserving: value.utf8.count + 2)
    writer.string(value)
    return JSON(unchecked: writer.bytes)
  }

  /// An array of these elements, whose texts stay as they are.
  ///
  /// Arrays put into arrays may get deeper than ``depthLimit``; such a text is not taken in again.
  public static func array(_ elements: [JSON]) -> JSON {
    var writer = JSONWriter(reserving: elements.reduce(2) { $0 + $1.bytes.count + 1 })
    writer.beginArray()
    for element in elements { writer.raw(element) }
    writer.endArray()
    return JSON(unchecked: writer.bytes)
  }

  /// An object of these members in this order, whose texts stay as they are.
  ///
  /// Repeated keys are kept. Objects put into objects may get deeper than ``depthLimit``; such a
  /// text is not taken in again.
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
