#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

extension CopyRecord {
  /// Writes the record as a JSON object on one line, without NULL values, and with JSON as it is stored.
  ///
  /// JSON that is stored on several lines is joined to one line, and `verbatim` has its exact text.
  /// - Parameter writer: The writer to write to.
  /// - Throws: A ``KeepsakeError`` with the code `damaged` if the store holds an impossible value.
  package func write(to writer: inout JSONWriter) throws {
    writer.beginObject()
    try writeMembers(to: &writer)
    writer.endObject()
  }

  /// Writes the members of the record's JSON object, for a caller that adds others.
  package func writeMembers(to writer: inout JSONWriter) throws {
    var group: String?
    for (column, value) in zip(kind.table.columns, values) where value != .null {
      if column.group != group {
        if group != nil { writer.endObject() }
        group = column.group
        if let group {
          writer.key(escaping: group)
          writer.beginObject()
        }
      }
      try write(value, of: column, to: &writer)
    }
    if group != nil { writer.endObject() }
    writeVerbatim(to: &writer)
    if let list = kind.table.children, !children.isEmpty {
      writer.key(escaping: list.name)
      writer.beginArray()
      for child in children { try child.write(to: &writer) }
      writer.endArray()
    }
  }

  /// Writes the exact texts of JSON values that have line breaks, by the names of their columns.
  private func writeVerbatim(to writer: inout JSONWriter) {
    var isFirst = true
    for (column, value) in zip(kind.table.columns, values) {
      guard case (.json, .text(let bytes)) = (column.meaning, value), JSON.hasLineBreaks(bytes)
      else { continue }
      if isFirst {
        writer.key("verbatim")
        writer.beginObject()
        isFirst = false
      }
      writer.key(escaping: column.name)
      writer.string(String(decoding: bytes, as: UTF8.self))
    }
    if !isFirst { writer.endObject() }
  }

  private func write(_ value: Value, of column: CopyColumn, to writer: inout JSONWriter) throws {
    if case (.content, .blob(let bytes)) = (column.meaning, value) {
      if let text = String(validating: bytes, as: UTF8.self) {
        writer.key("text")
        writer.string(text)
      } else {
        writer.member("base64", base64: Data(bytes))
      }
      return
    }
    writer.key(escaping: column.lastName)
    switch (column.meaning, value) {
    case (.integer, .integer(let number)), (.position, .integer(let number)),
      (.recording, .integer(let number)):
      writer.int(number)
    case (.timeIfKnown, .integer(EntryTime.unknown)): writer.null()
    case (.time, .integer(let time)), (.timeIfKnown, .integer(let time)):
      writer.string(RFC3339.text(time))
    case (.name(let names), .integer(let code)) where names.indices.contains(Int(code)):
      writer.string(names[Int(code)])
    case (.text, .text(let bytes)): writer.string(String(decoding: bytes, as: UTF8.self))
    case (.json, .text(let bytes)):
      var reader = JSONReader(bytes.span.bytes)
      do {
        try reader.skipValue()
        try reader.end()
      } catch { throw damaged(column, "is no JSON: \(error.message.clause)") }
      writer.raw(JSON(unchecked: JSON.onOneLine(bytes)))
    case (.id, .blob(let bytes)), (.invocation, .blob(let bytes)), (.session, .blob(let bytes)):
      guard let id = UUID(bytes: bytes) else { throw damaged(column, "has not 16 bytes") }
      writer.string(id.text)
    case (.digest, .blob(let bytes)), (.salt, .blob(let bytes)): writer.string(Self.hex(bytes))
    case (.artifact, .blob(let bytes)): writer.string("sha256:" + Self.hex(bytes))
    default: throw damaged(column, "holds what it can't hold")
    }
  }

  private func damaged(_ column: CopyColumn, _ what: String) -> KeepsakeError {
    KeepsakeError(
      .damaged,
      "Can't copy a row of kind '\(kind.rawValue)': its '\(column.name)' \(what).", remedy: .verify
    )
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.count)
    let digits = Array("0123456789abcdef".utf8)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
