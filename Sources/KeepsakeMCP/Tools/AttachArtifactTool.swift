#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The tool `attach_artifact`, which keeps bytes in a session.
struct AttachArtifactTool: Tool {
  /// Whether files may be named: only where the command line gave folders.
  let takesFiles: Bool

  let name = "attach_artifact"
  let title = "Keep an image or file"

  var about: String {
    """
    Keeps the exact bytes of an image or file in a conversation, and gives it a label. The bytes come as base64\
    \(takesFiles ? ", or as the absolute path of a file in a folder that the person allowed" : ""). They are durable when \
    this returns, and are stored once, however often they are attached. The attachment is marked for ever as made by this \
    client.
    """
  }

  var parameters: [ToolParameter] {
    let file = ToolParameter(
      name: "file", kind: .text,
      about: "The absolute path of a file in an allowed folder; or give data.")
    return [
      .init(
        name: "session", kind: .text, about: "The session's id, or at least 6 digits of it.",
        isRequired: true)
    ] + (takesFiles ? [file] : []) + [
      .init(
        name: "data", kind: .text, about: "The bytes as base64, of at most 716,800 characters."),
      .init(name: "file_name", kind: .text, about: "The name of the file."),
      .init(name: "caption", kind: .text, about: "What it shows."),
      .init(
        name: "position", kind: .integer(0...ToolParameter.unlimited),
        about: "The position of the entry that it belongs to."),
    ]
  }

  let output: [ToolOutputMember]? = [
    .init(name: "artifact", kind: .string), .init(name: "label", kind: .string),
    .init(name: "type", kind: .string), .init(name: "size", kind: .integer),
    .init(name: "known", kind: .boolean),
  ]

  let writes = true

  func call(_ arguments: ToolArguments, _ context: ToolContext) async throws -> ToolResult {
    let session = try await context.session(arguments.text("session") ?? "")
    let source = try Self.source(arguments, context)
    let fileName = arguments.word("file_name") ?? arguments.word("file").map(Self.lastPart(of:))
    var new = Entry.NewAttachment(
      source, fileName: fileName, madeBy: .step(ClientMark.author(context.client)))
    if let caption = arguments.word("caption") {
      new.captions = [.init(caption, author: ClientMark.author(context.client))]
    }
    let attachment = try await session.attach(new, to: arguments.number("position"))
    guard let artifact = attachment.artifact else {
      throw ToolError("The attachment has no bytes: it is \(attachment.state.rawValue).")
    }
    let first = try await context.store.audit(artifact.id, limit: 1).attachments.first
    return .data([
      "artifact": .string(artifact.id.description), "label": .string(attachment.label),
      "type": .string(artifact.sniffedType.essence), "size": .number(artifact.size),
      "known": .bool((first?.recording ?? attachment.recording) < attachment.recording),
    ])
  }

  private static func source(
    _ arguments: ToolArguments, _ context: ToolContext
  ) throws -> ArtifactSource {
    switch (arguments.word("file"), arguments.word("data")) {
    case (let file?, nil):
      guard let folders = context.options.filesFrom else {
        throw ToolError("No folder is allowed for files. Give the bytes as data.")
      }
      return try folders.source(named: file)
    case (nil, let data?):
      guard data.utf8.count <= ClientLimits.base64Text else {
        throw ToolError(
          "'data' has \(data.utf8.count) characters: it takes at most \(ClientLimits.base64Text). Give a file instead."
        )
      }
      return .base64(data)
    default: throw ToolError("Give either 'file' or 'data'.")
    }
  }

  private static func lastPart(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
