import Keepsake
import KeepsakeViewer

extension HTMLCodec: ListingCodec {
  static let listName = "index.html"

  static func writeList(
    of files: [(session: Session, name: String)], _ options: ExportOptions,
    into output: ExportOutput
  ) async throws {
    var page = IndexPage(into: output.take)
    try page.begin(count: files.count)
    for (session, name) in files {
      try Task.checkCancellation()
      let summary = try await session.summary()
      // A file's name may look like a scheme, so that the path says that it is none.
      try page.add(
        .init(
          summary, file: "./" + URLPath.encoded(name),
          cover: try await cover(of: session, summary, into: output)))
    }
    try page.end()
  }

  /// Puts the first image of a session beside the list; nil where there is none that a page shows, or its bytes can't be
  /// read.
  private static func cover(
    of session: Session, _ summary: Session.Summary, into output: ExportOutput
  ) async throws -> String? {
    guard let place = output.place, let label = summary.cover,
      let attachment = try await session.resolve(label).attachment,
      IndexPage.canCover(attachment), let artifact = attachment.artifact
    else { return nil }
    do {
      // The first read checks all of the bytes, before a file is begun for them.
      _ = try await artifact.data(in: 0..<min(1, artifact.size))
      return "./" + (try await place(artifact, artifact.contentName))
    } catch let error as KeepsakeError
      where error.code == .artifactMissing || error.code == .artifactDamaged
    {
      return nil
    }
  }
}
