import Keepsake
import KeepsakeViewer

/// Writes a session as an HTML page for people, which KeepsakeViewer renders.
enum HTMLCodec: WriteOnlyCodec {
  static let format = Format(
    name: "html", title: "HTML page", fileExtensions: ["html", "htm"], canWrite: true,
    artifacts: [.inline, .none],
    leavesOut: [.attachments])

  static func write(
    _ session: Session, as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses {
    let isBare = options.artifacts == ExportOptions.Artifacts.none
    try await session.page(PageOptions(artifacts: isBare ? .none : .inline), into: output.take)
    return Losses()
  }
}
