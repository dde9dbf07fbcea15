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
      guard let kind = reader.shortKey().flatMap(Kind.init(named:)), kind != .span else {
        throw CopyFault("a record is of the unknown kind '\(reader.key())'")
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
    if let column = record.missingColumn {
      throw CopyFault("\(record.subject) has no '\(column.name)'")
    }
    return record
  }

  private mutating func readMembers(of group: Int?, from reader: inout JSONReader) throws {
    let table = kind.table
    // The groups that were read: the bit at the index of a group is set once the group was read.
    var groups: UInt64 = 0
    var hasChildren = false
    var texts: [String: [UInt8]]?
    var next = 0
    try reader.beginObject()
    while try reader.nextKey() {
      let name = reader.shortKey()
      if let name, let index = table.index(name, in: group, from: next) {
        next = index + 1
        if case .content = table.columns[index].meaning { throw unknown(reader.key()) }
        try set(index, to: value(of: table.columns[index], from: &reader))
        continue
      }
      let key = reader.key()
      if group == nil, key == "text" || key == "base64", let index = table.index("bytes"),
        case .content = table.columns[index].meaning
      {
        guard key == "base64" else {
          try set(index, to: .blob(reader.stringBytes()))
          continue
        }
        guard let data = Data(base64Encoded: try reader.string()) else {
          throw wrong(key, "base64")
        }
        try set(index, to: .blob([UInt8](data)))
      } else if group == nil, key == "verbatim", texts == nil {
        texts = try Self.readTexts(from: &reader)
      } else if group == nil, let list = table.children, list.name == key, !hasChildren {
        hasChildren = true
        try reader.beginArray()
        while try reader.nextElement() {
          children.append(try Self.read(list.kind, from: &reader))
        }
      } else if group == nil, let inner = name.flatMap(table.group), groups >> inner & 1 == 0 {
        groups |= 1 << inner
        try readMembers(of: inner, from: &reader)
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
    guard values[index].isNull else {
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
    switch column.meaning {
    case .text: return .text(try reader.stringBytes())
    case .time, .timeIfKnown:
      guard let time = try reader.withString({ RFC3339.microseconds($0) }) else {
        throw wrong(column.name, "a time such as 2026-10-14T09:30:00Z")
      }
      return .integer(time)
    case .name(let names):
      let text = try reader.string()
      guard !text.isEmpty, let code = names.firstIndex(of: text) else {
        throw wrong(
          column.name, names.filter { !$0.isEmpty }.map { "'\($0)'" }.joined(separator: " or "))
      }
      return .integer(Int64(code))
    case .id, .invocation, .session:
      guard let id = try reader.withString({ UUID(text: $0) }) else {
        throw wrong(column.name, "a UUID")
      }
      return .blob(id.bytes)
    case .digest: return .blob(try hex(column, count: 32, from: &reader))
    case .salt: return .blob(try hex(column, count: Salt.size, from: &reader))
    case .artifact: return .blob(try hex(column, after: "sha256:", count: 32, from: &reader))
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
  ///   - column: The column that has the text.
  ///   - prefix: The text before the digits.
  ///   - count: The number of bytes that the digits spell, a multiple of four.
  ///   - reader: The reader, of which the next value is the text.
  private func hex(
    _ column: CopyColumn, after prefix: StaticString = "", count: Int,
    from reader: inout JSONReader
  ) throws -> [UInt8] {
    let start = prefix.utf8CodeUnitCount
    let digits: Result<[UInt8], CopyFault> = try reader.withString { text in
      guard text.byteCount >= start, text.spells(prefix, from: 0, to: start) else {
        return .failure(wrong(column.name, "an artifact's name"))
      }
      guard text.byteCount == start + 2 * count else {
        return .failure(wrong(column.name, "\(2 * count) hexadecimal digits"))
      }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(count)
      for offset in stride(from: start, to: text.byteCount, by: 8) {
        guard let number = HexDigits.number(in: text, at: offset, takesCapitals: false) else {
          return .failure(
            wrong(column.name, "\(2 * count) hexadecimal digits, in small letters"))
        }
        bytes.append(UInt8(truncatingIfNeeded: number >> 24))
        bytes.append(UInt8(truncatingIfNeeded: number >> 16))
        bytes.append(UInt8(truncatingIfNeeded: number >> 8))
        bytes.append(UInt8(truncatingIfNeeded: number))
      }
      return .success(bytes)
    }
    return try digits.get()
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
