import Keepsake

/// Writes a session as a document in GitHub's Markdown, for people to read.
enum MarkdownCodec: WriteOnlyCodec {
  static let format = Format(
    name: "markdown", title: "Markdown document", otherNames: ["md"],
    fileExtensions: ["md", "markdown"], canWrite: true, artifacts: [.files, .none, .inline],
    leavesOut: [.attachments, .details])

  static func write(
    _ session: Session, as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses {
    var writer = try await MarkdownWriter(session, options.artifacts ?? .files, output)
    return try await writer.write()
  }
}
