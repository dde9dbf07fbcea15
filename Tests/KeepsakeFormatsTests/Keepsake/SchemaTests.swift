import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("The JSON Schema of Keepsake's transcripts")
struct SchemaTests {
  static let schema = Fixtures.root.appending(path: "Documentation/Transcript.schema.json")

  @Test func `documents are as the schema says`() async throws {
    let schema = try Schema(Self.schema)
    try await withStore { store, folder in
      try await store.fillWithEverything(folder)
      let sessions = try await store.allSessions()
      // The same but for the bytes of artifacts, which the first has.
      for (artifacts, some) in [
        (ExportOptions.Artifacts.inline, sessions), (.files, [sessions[0]]), (.none, [sessions[0]]),
      ] {
        let bytes = try await TranscriptCodec.bytes(of: some, artifacts) { _, name in
          "files/\(name)"
        }
        let faults = schema.faults(try JSON(validating: bytes))
        #expect(faults == [], "\(artifacts): \(faults.prefix(5))")
      }
    }
  }

  @Test func `what is not as the schema says is found`() throws {
    let schema = try Schema(Self.schema)
    for text in [
      #"{"keepsake":"transcript","version":1,"recordings":0,"sessions":[]}"#,
      #"{"keepsake":"transcript","version":2,"recordings":0,"sessions":[],"artifacts":[]}"#,
      #"{"keepsake":"transcript","version":1,"recordings":-1,"sessions":[],"artifacts":[]}"#,
      #"{"keepsake":"transcript","version":1,"recordings":0,"sessions":[],"artifacts":[],"x":1}"#,
      #"{"keepsake":"transcript","version":1,"recordings":0,"sessions":[{}],"artifacts":[]}"#,
      #"{"keepsake":"transcript","version":1,"recordings":0,"sessions":[],"artifacts":[{"artifact":"x","size":1}]}"#,
    ] {
      #expect(schema.faults(try JSON(validating: text)) != [], "\(text)")
    }
  }

  @Test func `the example in Formats.md is one`() async throws {
    let page = try String(
      contentsOf: Fixtures.root.appending(path: "Documentation/Formats.md"), encoding: .utf8)
    let start = try #require(page.range(of: "```json\n"))
    let end = try #require(page[start.upperBound...].range(of: "```"))
    let example = Array(page[start.upperBound..<end.lowerBound].utf8)
    let faults = try Schema(Self.schema).faults(JSON(validating: example))
    #expect(faults == [])
    try await withStore { store, folder in
      _ = try await store.importing(example, in: folder)
      let exported = try await TranscriptCodec.bytes(of: store.allSessions())
      #expect(exported == example)
    }
  }

  @Test func `every member is described`() throws {
    let schema = try JSON(validating: [UInt8](Data(contentsOf: Self.schema)))
    var undescribed: [String] = []
    func look(_ json: JSON, at path: String) {
      for (name, value) in json["properties"]?.members ?? [] {
        if value["description"]?.stringValue?.isEmpty ?? true,
          value["$ref"] == nil
        {
          undescribed.append("\(path)/\(name)")
        }
        look(value, at: "\(path)/\(name)")
      }
      if let items = json["items"] { look(items, at: path + "[]") }
      for (name, value) in json["$defs"]?.members ?? [] {
        if value["description"] == nil { undescribed.append(name) }
        look(value, at: name)
      }
    }
    look(schema, at: "")
    #expect(undescribed == [])
  }

  @Test(arguments: CopyRecord.Kind.allCases.filter { !CopyRecord.Kind.onlyInCommits.contains($0) })
  func `the schema has the members that are written`(kind: CopyRecord.Kind) throws {
    let schema = try JSON(validating: [UInt8](Data(contentsOf: Self.schema)))
    let session = try #require(schema["$defs"]?["session"])
    func members(_ object: JSON) -> Set<String> {
      Set(object["properties"]?.members?.map(\.key) ?? [])
    }
    func list(_ name: String, of object: JSON) throws -> JSON {
      try #require(object["properties"]?[name]?["items"])
    }
    let object =
      switch kind {
      case .session: session
      case .span: try list("spans", of: list("pieces", of: session))
      default: try list(kind.plural, of: session)
      }
    var written = Set(kind.table.columns.map { $0.group ?? $0.name })
    if let children = kind.table.children { written.insert(children.name) }
    if kind == .session { written.formUnion(CopyRecord.Kind.listed.map(\.plural)) }
    if written.remove("bytes") != nil { written.formUnion(["text", "base64"]) }
    // Records that can hold foreign JSON of several lines have a member `verbatim`.
    if [.session, .entry, .revision].contains(kind) { written.insert("verbatim") }
    #expect(members(object) == written)
    for group in Set(kind.table.columns.compactMap(\.group)) {
      let names = Set(kind.table.columns.filter { $0.group == group }.map(\.lastName))
      var inner = try #require(object["properties"]?[group])
      if let name = inner["$ref"]?.stringValue?.split(separator: "/").last {
        inner = try #require(schema["$defs"]?[String(name)])
      }
      #expect(members(inner) == names)
    }
  }
}

/// As much of JSON Schema as ours uses.
private struct Schema {
  private let root: JSON
  private static let known: Set<String> = [
    "$schema", "$defs", "$ref", "title", "description", "type", "enum", "const", "properties",
    "required", "additionalProperties", "items", "pattern", "minimum",
  ]

  init(_ file: URL) throws { root = try JSON(validating: [UInt8](Data(contentsOf: file))) }

  func faults(_ json: JSON) -> [String] {
    var faults: [String] = []
    check(json, root, "", &faults)
    return faults
  }

  private func check(_ json: JSON, _ schema: JSON, _ path: String, _ faults: inout [String]) {
    let rules = schema.members ?? []
    for (name, _) in rules where !Self.known.contains(name) { faults.append("rule \(name)") }
    if let name = schema["$ref"]?.stringValue?.split(separator: "/").last,
      let definition = root["$defs"]?[String(name)]
    {
      check(json, definition, path, &faults)
    }
    if let type = schema["type"] {
      let names = type.arrayValue?.compactMap(\.stringValue) ?? [type.stringValue ?? ""]
      let isRight = names.contains { name in
        switch name {
        case "object": json.kind == .object
        case "array": json.kind == .array
        case "string": json.kind == .string
        case "null": json.isNull
        default: json.intValue != nil
        }
      }
      guard isRight else {
        return faults.append("\(path) is no \(names.joined(separator: " or "))")
      }
    }
    if let names = schema["enum"]?.arrayValue, !names.contains(json) {
      faults.append("\(path) is \(json)")
    }
    if let constant = schema["const"], constant != json { faults.append("\(path) is \(json)") }
    if let least = schema["minimum"]?.intValue, json.intValue ?? .min < least {
      faults.append("\(path) is \(json)")
    }
    if let pattern = schema["pattern"]?.stringValue, let text = json.stringValue,
      text.range(of: pattern, options: .regularExpression) == nil
    {
      faults.append("\(path) is \(text)")
    }
    for name in schema["required"]?.arrayValue?.compactMap(\.stringValue) ?? []
    where json[name] == nil { faults.append("\(path) has no \(name)") }
    if let properties = schema["properties"] {
      for (key, value) in json.members ?? [] {
        if let rule = properties[key] {
          check(value, rule, "\(path)/\(key)", &faults)
        } else if schema["additionalProperties"]?.boolValue == false {
          faults.append("\(path) has \(key)")
        }
      }
    }
    if let items = schema["items"] {
      for (index, element) in (json.arrayValue ?? []).enumerated() {
        check(element, items, "\(path)/\(index)", &faults)
      }
    }
  }
}
