import Keepsake

/// The settings of a client in JSON, of which one member of one object is set or taken away.
struct JSONSettings {
  private let bytes: [UInt8]
  /// The name of the object with the servers.
  private let group: String
  /// The name of our entry in it.
  private let name: String

  /// Reads settings; an empty text counts as an empty object.
  ///
  /// - Throws: A ``SettingsEdit/Refusal`` for a text that is no JSON object.
  init(_ bytes: [UInt8], group: String, name: String) throws {
    let isEmpty = bytes.allSatisfy { $0 <= 0x20 }
    self.bytes = isEmpty ? Array("{}\n".utf8) : bytes
    self.group = group
    self.name = name
    do {
      guard try JSON(validating: self.bytes).kind == .object else {
        throw SettingsEdit.Refusal(message: "it is no JSON object")
      }
    } catch let error as JSONError {
      throw SettingsEdit.Refusal(message: "it is not plain JSON: \(error.message.clause)")
    }
  }

  /// The places of an object and of its members in the text.
  private struct Object {
    /// A member, from the quote before its key to the end of its value.
    struct Member {
      let key: String
      let start: Int
      let value: Range<Int>
    }

    let start: Int
    /// The place of the closing bracket.
    let end: Int
    let members: [Member]
  }

  /// Sets the entry to an object with some members, each given as its name and the JSON of its value.
  func setting(_ members: [(name: String, value: String)]) throws -> SettingsEdit {
    let top = try object(at: 0)
    let unit = indentation(in: top) ?? "  "
    guard let servers = top.members.first(where: { $0.key == group }) else {
      let entry = Self.object(members, margin: unit + unit, unit: unit)
      let group = Self.object([(name, entry)], margin: unit, unit: unit)
      return SettingsEdit(
        text: inserting("\"\(self.group)\": \(group)", into: top, margin: unit, outer: ""),
        old: nil, new: entry)
    }
    let object = try object(at: servers.value.lowerBound, named: group)
    let margin = indentation(in: object) ?? unit + unit
    let outer = indentation(of: servers) ?? unit
    let entry = Self.object(members, margin: margin, unit: unit)
    guard let known = object.members.first(where: { $0.key == name }) else {
      return SettingsEdit(
        text: inserting("\"\(name)\": \(entry)", into: object, margin: margin, outer: outer),
        old: nil, new: entry)
    }
    let old = String(decoding: bytes[known.value], as: UTF8.self)
    let text =
      bytes[..<known.value.lowerBound] + Array(entry.utf8) + bytes[known.value.upperBound...]
    return SettingsEdit(text: Array(text), old: old, new: entry)
  }

  /// Takes the entry away; nil if there is none.
  func removing() throws -> SettingsEdit? {
    let top = try object(at: 0)
    guard let servers = top.members.first(where: { $0.key == group }) else { return nil }
    let object = try object(at: servers.value.lowerBound, named: group)
    guard let index = object.members.firstIndex(where: { $0.key == name }) else { return nil }
    let member = object.members[index]
    let old = String(decoding: bytes[member.value], as: UTF8.self)
    // With the comma before it, or, of the first one, up to the next member or the closing bracket.
    let range: Range<Int> =
      if index > 0 {
        object.members[index - 1].value.upperBound..<end(of: member, in: object)
      } else if object.members.count > 1 {
        member.start..<object.members[1].start
      } else {
        (object.start + 1)..<object.end
      }
    return SettingsEdit(
      text: Array(bytes[..<range.lowerBound] + bytes[range.upperBound...]), old: old, new: nil)
  }

  /// The end of what is taken away with a member that is not the first one.
  ///
  /// Where the members before it stand in one line with the object's bracket, the line break before the closing bracket
  /// came with the member, and goes with it.
  private func end(of member: Object.Member, in object: Object) -> Int {
    let isOneLine =
      object.members.first.map { !bytes[object.start..<$0.start].contains(0x0A) } ?? false
    let rest = member.value.upperBound..<object.end
    let isLast = object.members.last?.start == member.start
    return isOneLine && isLast && bytes[rest].contains(0x0A) ? object.end : rest.lowerBound
  }

  // MARK: Places

  private func object(at offset: Int, named name: String? = nil) throws -> Object {
    var reader = JSONReader(bytes.span.bytes.extracting(offset..<bytes.count))
    guard try reader.nextKind() == .object else {
      throw SettingsEdit.Refusal(message: "its '\(name ?? "")' is no object")
    }
    let start = offset + reader.position
    try reader.beginObject()
    var members: [Object.Member] = []
    var before = offset + reader.position
    while try reader.nextKey() {
      let key = reader.key()
      let quote = bytes[before...].firstIndex(of: UInt8(ascii: "\"")) ?? before
      let value = try reader.skipValue()
      members.append(
        .init(
          key: key, start: quote, value: (offset + value.lowerBound)..<(offset + value.upperBound)))
      before = offset + value.upperBound
    }
    return Object(start: start, end: offset + reader.position - 1, members: members)
  }

  /// The blanks before the first member, if it stands on a line of its own.
  private func indentation(in object: Object) -> String? {
    object.members.first.flatMap { indentation(of: $0) }
  }

  private func indentation(of member: Object.Member) -> String? {
    let line = bytes[..<member.start].lastIndex(of: 0x0A).map { $0 + 1 }
    guard let line, bytes[line..<member.start].allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else {
      return nil
    }
    return String(decoding: bytes[line..<member.start], as: UTF8.self)
  }

  // MARK: Writing

  /// An object with a member a line; `margin` is what stands before the line of the object itself.
  private static func object(
    _ members: [(name: String, value: String)], margin: String, unit: String
  ) -> String {
    let lines = members.map { "\(margin)\(unit)\(JSON.string($0.name).text): \($0.value)" }
    return "{\n\(lines.joined(separator: ",\n"))\n\(margin)}"
  }

  /// The text with a member behind the last one of an object.
  private func inserting(
    _ member: String, into object: Object, margin: String, outer: String
  ) -> [UInt8] {
    let place = object.members.last?.value.upperBound ?? object.start + 1
    let comma = object.members.isEmpty ? "" : ","
    // Where the closing bracket has a line of its own, what stands before it stays there.
    let rest = bytes[place..<object.end]
    let end = rest.contains(0x0A) && !object.members.isEmpty ? "" : "\n\(outer)"
    let tail = object.members.isEmpty ? bytes[object.end...] : bytes[place...]
    return Array(bytes[..<place]) + Array("\(comma)\n\(margin)\(member)\(end)".utf8) + Array(tail)
  }
}
