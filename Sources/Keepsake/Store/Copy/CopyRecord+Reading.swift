#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

extension CopyRecord {
  /// Reads a record from the JSON object that ``write(to:)`` writes; members may be in any order.
  ///
  /// Unknown, repeated and malformed members are faults, so that nothing is ignored.
  package init(_ kind: Kind, reading bytes: [UInt8]) throws(CopyFault) {
    do {
      var reader = JSONReader(bytes.span.bytes)
      self = try Self.read(kind, from: &reader)
      try reader.end()
    } catch let error as JSONError {
      throw CopyFault("a record of kind '\(kind.rawValue)' can't be read: \(error.message.clause)")
    } catch let fault as CopyFault {
      throw fault
    } catch { throw CopyFault("a record can't be read: \(error)") }
  }

  /// Reads a record from an object with one member, whose name is the kind of the record.
  package init(readingTagged bytes: RawSpan) throws(CopyFault) {
    do {
      var reader = JSONReader(bytes)
      try reader.beginObject()
      guard try reader.nextKey() else { throw CopyFault("a record is empty") }
      let name = reader.key()
      guard let kind = Kind(rawValue: name), kind != .span else {
        throw CopyFault("a record is of the unknown kind '\(name)'")
      }
      self = try Self.read(kind, from: &reader)
      guard try !reader.nextKey() else { throw CopyFault("a record has more than one kind") }
      try reader.end()
    } catch let error as JSONError {
      throw CopyFault("a record can't be read: \(error.message.clause)")
    } catch let fault as CopyFault {
      throw fault
    } catch { throw CopyFault("a record can't be read: \(error)") }
  }

  private static func read(_ kind: Kind, from reader: inout JSONReader) throws -> CopyRecord {
    var record = CopyRecord(kind)
    try record.readMembers(of: nil, from: &reader)
    for (column, value) in zip(kind.table.columns, record.values)
    where column.isRequired && value == .null {
      throw CopyFault("\(record.subject) has no '\(column.name)'")
    }
    return record
  }

  private mutating func readMembers(of group: String?, from reader: inout JSONReader) throws {
    let table = kind.table
    var groups: Set<String> = []
    var hasChildren = false
    var texts: [String: [UInt8]]?
    var next = 0
    try reader.beginObject()
    while try reader.nextKey() {
      let key = reader.key()
      if let index = table.index(key, in: group, from: next) {
        next = index + 1
        if case .content = table.columns[index].meaning { throw unknown(key) }
        try set(index, to: value(of: table.columns[index], from: &reader))
      } else if group == nil, key == "text" || key == "base64", let index = table.index("bytes"),
        case .content = table.columns[index].meaning
      {
        let text = try reader.string()
        guard key == "base64" else {
          try set(index, to: .blob(Array(text.utf8)))
          continue
        }
        guard let data = Data(base64Encoded: text) else { throw wrong(key, "base64") }
        try set(index, to: .blob([UInt8](data)))
      } else if group == nil, key == "verbatim", texts == nil {
        texts = try Self.readTexts(from: &reader)
      } else if group == nil, let list = table.children, list.name == key, !hasChildren {
        hasChildren = true
        try reader.beginArray()
        while try reader.nextElement() {
          children.append(try Self.read(list.kind, from: &reader))
        }
      } else if group == nil, table.columns.contains(where: { $0.group == key }),
        groups.insert(key).inserted
      {
        try readMembers(of: key, from: &reader)
      } else {
        throw unknown(key)
      }
    }
    try take(texts ?? [:])
  }

  /// Reads an object of strings, by the names of columns.
  private static func readTexts(from reader: inout JSONReader) throws -> [String: [UInt8]] {
    var texts: [String: [UInt8]] = [:]
    try reader.beginObject()
    while try reader.nextKey() {
      let name = reader.key()
      guard texts.updateValue(Array(try reader.string().utf8), forKey: name) == nil else {
        throw CopyFault("its 'verbatim' says twice what '\(name)' is")
      }
    }
    return texts
  }

  /// Takes the exact spelling of JSON values from `verbatim`; the record has the same JSON on one line, which must agree.
  private mutating func take(_ texts: [String: [UInt8]]) throws {
    for (name, text) in texts {
      guard let index = kind.table.index(name), case .json = kind.table.columns[index].meaning,
        case .text(let line) = values[index]
      else { throw unknown("verbatim.\(name)") }
      var reader = JSONReader(text.span.bytes)
      _ = try reader.rawValue()
      try reader.end()
      guard Self.compact(text) == Self.compact(line) else {
        throw CopyFault("\(subject) says in 'verbatim' something else than in '\(name)'")
      }
      values[index] = .text(text)
      verbatim.insert(index)
    }
  }

  private mutating func set(_ index: Int, to value: Value) throws(CopyFault) {
    guard values[index] == .null else {
      throw CopyFault("\(subject) says twice what its '\(kind.table.columns[index].name)' is")
    }
    values[index] = value
  }

  private func value(of column: CopyColumn, from reader: inout JSONReader) throws -> Value {
    switch column.meaning {
    case .integer(let range): return try integer(column, range, &reader)
    case .position:
      return try integer(column, 0...Int64(EntryID.maximumPosition), &reader)
    case .recording: return try integer(column, 1...CopyManifest.recordingLimit, &reader)
    case .json:
      let json = try reader.rawValue()
      return .text(json.bytes)
    case .timeIfKnown where try reader.nextKind() == .null:
      try reader.skipValue()
      return .integer(EntryTime.unknown)
    default: break
    }
    guard try reader.nextKind() == .string else { throw wrong(column.name, "a string") }
    let text = try reader.string()
    switch column.meaning {
    case .text: return .text(Array(text.utf8))
    case .time, .timeIfKnown:
      guard let time = RFC3339.microseconds(text) else {
        throw wrong(column.name, "a time such as 2026-10-14T09:30:00Z")
      }
      return .integer(time)
    case .name(let names):
      guard !text.isEmpty, let code = names.firstIndex(of: text) else {
        throw wrong(
          column.name, names.filter { !$0.isEmpty }.map { "'\($0)'" }.joined(separator: " or "))
      }
      return .integer(Int64(code))
    case .id, .invocation, .session:
      guard let id = UUID(text: text) else { throw wrong(column.name, "a UUID") }
      return .blob(id.bytes)
    case .digest: return .blob(try hex(text, count: 32, column))
    case .salt: return .blob(try hex(text, count: Salt.size, column))
    case .artifact:
      guard text.hasPrefix("sha256:") else { throw wrong(column.name, "an artifact's name") }
      return .blob(try hex(text, from: 7, count: 32, column))
    case .integer, .position, .recording, .json, .content: throw unknown(column.name)
    }
  }

  private func integer(
    _ column: CopyColumn, _ range: ClosedRange<Int64>, _ reader: inout JSONReader
  ) throws -> Value {
    guard try reader.nextKind() == .number else { throw wrong(column.name, "a whole number") }
    let number = try reader.int()
    guard range.contains(number) else {
      throw wrong(column.name, "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return .integer(number)
  }

  /// Reads hexadecimal digits in lower case only, so that a digest has a single spelling.
  /// - Parameters:
  ///   - text: The text that has the digits.
  ///   - start: The offset of the first digit.
  ///   - count: The number of bytes that the digits spell, a multiple of four.
  ///   - column: The column that has the text.
  private func hex(
    _ text: String, from start: Int = 0, count: Int, _ column: CopyColumn
  ) throws(CopyFault) -> [UInt8] {
    guard text.utf8.count == start + 2 * count else {
      throw wrong(column.name, "\(2 * count) hexadecimal digits")
    }
    let bytes: [UInt8]? = text.withUTF8Bytes { text in
      var bytes: [UInt8] = []
      bytes.reserveCapacity(count)
      for offset in stride(from: start, to: text.byteCount, by: 8) {
        guard let number = HexDigits.number(in: text, at: offset, takesCapitals: false) else {
          return nil
        }
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
      }
      return bytes
    }
    guard let bytes else {
      throw wrong(column.name, "\(2 * count) hexadecimal digits, in small letters")
    }
    return bytes
  }

  private var subject: String {
    let position = kind == .entry ? integer("position") : nil
    return position.map { "entry \($0)" } ?? "a record of kind '\(kind.rawValue)'"
  }

  private func wrong(_ name: String, _ expected: String) -> CopyFault {
    CopyFault("\(subject) has a '\(name)' that is not \(expected)")
  }

  private func unknown(_ name: String) -> CopyFault {
    CopyFault(
      "\(subject) has a member '\(name)' more than once, or one that is not known here; a newer Keepsake may know it"
    )
  }
}
