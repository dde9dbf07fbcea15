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
    var severalLines: [(column: CopyColumn, json: [UInt8])] = []
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
      if case (.json, .text(let bytes)) = (column.meaning, value), JSON.hasLineBreaks(bytes) {
        severalLines.append((column, bytes))
      }
    }
    if group != nil { writer.endObject() }
    if !severalLines.isEmpty {
      writer.key("verbatim")
      writer.beginObject()
      for (column, json) in severalLines {
        writer.key(escaping: column.name)
        writer.string(String(decoding: json, as: UTF8.self))
      }
      writer.endObject()
    }
    if let list = kind.table.children, !children.isEmpty {
      writer.key(escaping: list.name)
      writer.beginArray()
      for child in children { try child.write(to: &writer) }
      writer.endArray()
    }
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
    writer.key(spelled: column.key)
    switch (column.meaning, value) {
    case (.integer, .integer(let number)), (.position, .integer(let number)),
      (.recording, .integer(let number)):
      writer.int(number)
    case (.timeIfKnown, .integer(EntryTime.unknown)): writer.null()
    case (.time, .integer(let time)), (.timeIfKnown, .integer(let time)):
      writer.plainString { RFC3339.append(time, to: &$0) }
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
      writer.plainString { id.append(to: &$0) }
    case (.digest, .blob(let bytes)), (.salt, .blob(let bytes)):
      writer.plainString { text in for byte in bytes { text.append(hex: byte) } }
    case (.artifact, .blob(let bytes)):
      writer.plainString { text in
        text.append(copying: "sha256:")
        for byte in bytes { text.append(hex: byte) }
      }
    default: throw damaged(column, "holds what it can't hold")
    }
  }

  private func damaged(_ column: CopyColumn, _ what: String) -> KeepsakeError {
    KeepsakeError(
      .damaged,
      "Can't copy a row of kind '\(kind.rawValue)': its '\(column.name)' \(what).", remedy: .verify
    )
  }
}
