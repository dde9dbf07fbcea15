import Keepsake

/// Writes a session as a trace in OpenTelemetry's JSON, with the attributes of its conventions for generative AI.
enum OTelCodec: WriteOnlyCodec {
  static let format = Format(
    name: "otel", title: "OpenTelemetry GenAI trace", otherNames: ["otlp"],
    fileExtensions: ["json"], canWrite: true, artifacts: [.inline, .files, .none],
    leavesOut: Losses.ofMessages.subtracting([.takenBack]))

  static func write(
    _ session: Session, as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses {
    var writer = try await OTelWriter(session, options.artifacts ?? .inline, output)
    return try await writer.write()
  }
}
