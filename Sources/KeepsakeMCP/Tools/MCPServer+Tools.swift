import Keepsake

extension MCPServer {
  /// The answer to `tools/list`: all tools on one page, because some clients read only the first.
  func toolList(for request: Request) -> [UInt8] {
    Answer.result(to: request, from: info, lifetime: .long) { writer in
      writer.key("tools")
      writer.beginArray()
      for tool in tools { tool.write(to: &writer, for: request.revision) }
      writer.endArray()
    }
  }

  /// The call behind a `tools/call`.
  ///
  /// - Throws: A ``ProtocolError`` where no tool is named, or one that is not offered.
  func toolCall(for request: Request) throws(ProtocolError) -> Call {
    guard let name = request.parameters["name"]?.stringValue else {
      throw ProtocolError(.badParameters, "The parameter 'name' is missing.")
    }
    guard let tool = tools.first(where: { $0.name == name }) else {
      throw ProtocolError(.badParameters, "Unknown tool: \(name.inMessage)")
    }
    let arguments = request.parameters["arguments"] ?? [:]
    return Call(
      id: request.id, deadline: tool.deadline(arguments), progressToken: request.progressToken,
      revision: request.revision
    ) { [self] report in
      do {
        let arguments = try ToolArguments(arguments, of: tool.parameters)
        let result = try await store.use { store in
          try await tool.call(
            arguments,
            ToolContext(
              store: store, options: options, revision: request.revision, client: request.client,
              report: report))
        }
        return answer(to: request, with: result)
      } catch { return failure(Self.sentence(for: error), of: request) }
    } refuse: { [self] refusal in
      failure(refusal.message + (tool.writes ? Self.maybeWritten : ""), of: request)
    }
  }

  private static let maybeWritten =
    " It may have been written all the same: call again with the same key before you write it anew."

  /// A result that says what the model can do about a failure.
  private func failure(_ message: String, of request: Request) -> [UInt8] {
    Answer.result(to: request, from: info) { writer in
      writer.key("content")
      writer.beginArray()
      ContentBlock.text(message).write(to: &writer, for: request.revision)
      writer.endArray()
      writer.key("isError")
      writer.bool(true)
    }
  }

  private func answer(to request: Request, with result: ToolResult) -> [UInt8] {
    Answer.result(to: request, from: info) { writer in
      writer.key("content")
      writer.beginArray()
      switch result {
      case .reading(let blocks):
        for block in blocks { block.write(to: &writer, for: request.revision) }
        writer.endArray()
      case .data(let json):
        ContentBlock.text(json.text).write(to: &writer, for: request.revision)
        writer.endArray()
        if request.revision.has(.structuredContent) { writer.member("structuredContent", json) }
      }
    }
  }

  /// Words an error for a model. Words of a store in it are shown as they are in any other result.
  static func sentence(for error: any Error) -> String {
    switch error {
    case let error as ToolError: error.message
    case let error as KeepsakeError: VisibleText.line(error.message, limit: 1000)
    case is CancellationError: "The call was given up."
    default: "The call failed: \(VisibleText.line("\(error)", limit: 400))"
    }
  }
}

extension Tool {
  /// Writes the tool as `tools/list` describes it.
  func write(to writer: inout JSONWriter, for revision: Revision) {
    writer.beginObject()
    writer.member("name", name)
    if revision.has(.titles) { writer.member("title", title) }
    writer.member("description", about)
    writer.key("inputSchema")
    writer.beginObject()
    writer.member("type", "object")
    writer.key("properties")
    writer.beginObject()
    for parameter in parameters { parameter.write(to: &writer) }
    writer.endObject()
    writer.strings("required", parameters.filter(\.isRequired).map(\.name))
    writer.key("additionalProperties")
    writer.bool(false)
    writer.endObject()
    if let output, revision.has(.outputSchema) { Self.write(output, to: &writer) }
    if revision.has(.annotations) { writeAnnotations(to: &writer) }
    writer.endObject()
  }

  private static func write(_ output: [ToolOutputMember], to writer: inout JSONWriter) {
    writer.key("outputSchema")
    writer.beginObject()
    writer.member("type", "object")
    writer.key("properties")
    writer.beginObject()
    for member in output {
      writer.key(escaping: member.name)
      writer.beginObject()
      if member.kind == .objects {
        writer.member("type", "array")
        writer.member("items", ["type": "object", "properties": [:]] as JSON)
      } else {
        writer.member("type", member.kind.rawValue)
      }
      writer.endObject()
    }
    writer.endObject()
    writer.strings("required", output.filter(\.isRequired).map(\.name))
    writer.endObject()
  }

  /// All hints whose defaults are not what the tool does: clients ask a person by them.
  private func writeAnnotations(to writer: inout JSONWriter) {
    writer.key("annotations")
    writer.beginObject()
    writer.member("title", title)
    writer.key("readOnlyHint")
    writer.bool(!writes)
    if writes {
      writer.key("destructiveHint")
      writer.bool(false)
      writer.key("idempotentHint")
      writer.bool(isIdempotent)
    }
    writer.key("openWorldHint")
    writer.bool(false)
    writer.endObject()
  }
}
