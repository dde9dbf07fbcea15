#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Entry.Attachment: JSONRepresentable {
  /// The attachment as JSON, as `keepsake show --json` prints it, with the artifact's id in place of its bytes.
  public var json: JSON {
    var writer = JSONWriter(reserving: 1024)
    write(to: &writer)
    return JSON(unchecked: writer.bytes)
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.fixed("artifact", artifact?.id.description)
    writer.fixed("mediaType", (mediaType ?? artifact?.sniffedType)?.description)
    writer.fixed("fileName", fileName)
    writer.fixed("label", label)
    writer.fixed("caption", caption)
    writer.fixed("size", artifact?.size)
    writer.fixed("width", artifact?.pixelSize?.width)
    writer.fixed("height", artifact?.pixelSize?.height)
    writer.fixed("direction", direction.rawValue)
    writer.fixed("basis", basis.rawValue)
    writer.fixed("callID", callID)
    writer.fixed("tool", tool)
    writer.fixed("state", state.rawValue)
    writer.fixed("recording", recording)
    writer.fixed("session", session.text)
    writer.fixed("created", RFC3339.text(created.microseconds))
    writer.fixed("maker", maker.rawValue)
    writer.member("declaredType", mediaType?.description)
    writer.member("sniffedType", artifact?.sniffedType.description)
    writer.member("position", position)
    writer.member("segment", segment)
    switch place {
    case .pointer(let pointer): writer.member("pointer", pointer)
    case .range(let range):
      writer.key("range")
      writer.beginArray()
      writer.int(Int64(range.lowerBound))
      writer.int(Int64(range.upperBound))
      writer.endArray()
    case nil: break
    }
    writer.member("turn", turn)
    if let call {
      writer.key("call")
      writer.beginObject()
      writer.member("position", call.position)
      writer.member("ordinal", call.ordinal)
      writer.endObject()
    }
    writer.member("invocation", invocation?.text)
    writer.member("declaredLabel", declaredLabel)
    writer.member("captions", Self.encode(captions).map { JSON(unchecked: Array($0.utf8)) })
    writer.member("reference", reference)
    writer.member("inputs", Self.encode(inputs).map { JSON(unchecked: Array($0.utf8)) })
    writer.endObject()
  }

  /// Reads an attachment from the JSON that ``json`` gives. The result has no bytes; ask a store for them.
  ///
  /// - Parameter json: The attachment as a JSON object.
  /// - Throws: A ``KeepsakeError`` with the code `invalid` if a member is missing or malformed.
  public init(json: JSON) throws {
    let members = try JSONMembers(json, of: "attachment")
    let captions = members["captions"].map { Self.captions($0.text) } ?? []
    self.init(
      recording: Int64(try members.int("recording") ?? 0),
      session: try members.required("session", members.id("session")),
      created: try members.required("created", members.date("created")),
      artifact: members["artifact"] == nil ? nil : try Artifact(json: json),
      state: try members.name("state", as: State.self) ?? .present,
      direction: try members.required(
        "direction", members.name("direction", as: Direction.self)),
      maker: try members.required("maker", members.name("maker", as: Maker.self)),
      basis: try members.required("basis", members.name("basis", as: Basis.self)),
      position: try members.int("position"), segment: try members.int("segment"),
      place: try Self.place(members), turn: try members.int("turn"),
      call: try members["call"].map { call in
        let call = try JSONMembers(call, of: "attachment's call")
        return CallReference(
          position: try call.required("position", call.int("position")),
          ordinal: try call.int("ordinal") ?? 0)
      },
      callID: try members.text("callID"), tool: try members.text("tool"),
      invocation: try members.id("invocation"),
      label: try members.required("label", members.text("label")),
      declaredLabel: try members.text("declaredLabel"),
      mediaType: try members.text("declaredType").map { MediaType($0) },
      fileName: try members.text("fileName"),
      captions: captions.isEmpty
        ? try members.text("caption").map { [Caption($0)] } ?? [] : captions,
      reference: try members.text("reference"),
      inputs: members["inputs"].map { Self.inputs($0.text) } ?? [])
  }

  private static func place(_ members: JSONMembers) throws -> Place? {
    if let pointer = try members.text("pointer") { return .pointer(pointer) }
    return try members.value("range", "two offsets, the smaller one first") { json in
      guard let bounds = json.arrayValue?.compactMap(\.intValue), bounds.count == 2,
        0 <= bounds[0], bounds[0] <= bounds[1]
      else { return nil }
      return .range(Int(bounds[0])..<Int(bounds[1]))
    }
  }
}

extension Artifact: JSONRepresentable {
  /// The artifact as JSON: its id, size, type and pixel size, without its bytes.
  public var json: JSON {
    var writer = JSONWriter(reserving: 256)
    writer.beginObject()
    writer.fixed("artifact", id.description)
    writer.fixed("size", size)
    writer.fixed("sniffedType", sniffedType.description)
    writer.fixed("width", pixelSize?.width)
    writer.fixed("height", pixelSize?.height)
    writer.endObject()
    return JSON(unchecked: writer.bytes)
  }

  /// Reads an artifact from the JSON that ``json`` gives. The result has no bytes; ask a store for them.
  ///
  /// - Parameter json: The artifact as a JSON object.
  /// - Throws: A ``KeepsakeError`` with the code `invalid` if a member is missing or malformed.
  public init(json: JSON) throws {
    let members = try JSONMembers(json, of: "artifact")
    let size = try members.value("size", "a whole number of bytes") { json in
      json.intValue.flatMap { $0 >= 0 ? $0 : nil }
    }
    let pixelSize: PixelSize? =
      if let width = try members.int("width"), let height = try members.int("height") {
        PixelSize(width: width, height: height)
      } else { nil }
    self.init(
      id: try members.required(
        "artifact",
        members.value("artifact", "'sha256:' and 64 hexadecimal digits") { json in
          json.stringValue.flatMap(ID.init)
        }), size: try members.required("size", size),
      sniffedType: MediaType(
        try members.text("sniffedType") ?? members.text("mediaType")
          ?? "application/octet-stream"), pixelSize: pixelSize, home: nil)
  }
}
