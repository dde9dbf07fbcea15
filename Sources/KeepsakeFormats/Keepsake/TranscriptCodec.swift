import Keepsake

/// Reads and writes Keepsake's own JSON: all that a store knows of sessions, in one document for people and programs.
///
/// Documentation/Transcript.schema.json describes it. The body of each entry is copied unchanged, so that a session
/// keeps its digests in every store that it is imported into.
enum TranscriptCodec: CollectionCodec {
  static let version: Int64 = 1
  static let mark = "transcript"

  static let format = Format(
    name: "json", title: "Keepsake transcript", fileExtensions: ["json"], canRead: true,
    canWrite: true, artifacts: [.inline, .files, .none], holdsSeveral: true,
    sign: "an object whose member keepsake is transcript",
    leavesOut: [.attachments, .drafts, .parents])

  static func recognises(_ head: FileHead) -> Bool {
    head.document.text(at: "/keepsake") == mark
  }

  static func take(_ file: ForeignFile, into store: Store, _ session: Session?) async throws
    -> ImportReport
  {
    try CopyFile.requireNoSession(session, file, format)
    return try await CopyFile.reading(file) {
      try await store.restoring(
        TranscriptSource(TranscriptIndex(file)), identity: Codecs.identity(of:))
    }
  }

  static func write(
    _ sessions: [Session], as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses {
    let artifacts = options.artifacts ?? .inline
    guard artifacts != .files || output.place != nil else {
      throw FormatError(
        .unsupported,
        "There is no folder to put artifacts into beside this output. Export to a file, or ask for 'inline' or 'none'."
      )
    }
    var writer = TranscriptWriter(output.take)
    let summary = try writer.writeSessions(sessions)
    for artifact in summary.artifacts {
      switch artifacts {
      case .inline: try await writer.write(artifact)
      case .files:
        try writer.write(artifact, at: await output.place?(artifact, CopyFile.name(artifact)))
      case .none: try writer.write(artifact, at: nil)
      }
    }
    try writer.finish()
    return CopyFile.losses(of: summary, hasBytes: artifacts != .none)
  }
}
