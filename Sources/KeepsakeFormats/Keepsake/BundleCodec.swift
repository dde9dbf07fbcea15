import KeepsakeFiles
import Keepsake

/// Reads and writes Keepsake's bundle: sessions with their artifacts in one file, to move or to archive them.
///
/// A bundle is a tar archive that every tar program can list. It is written and read from its beginning to its end.
/// The member `keepsake.json` says what is in it, `records/000001.json` and so on are arrays of records,
/// `artifacts/ab/cdef…` hold bytes, and `end.json` holds the SHA-256 of all bytes before it. See
/// Documentation/Formats.md.
enum BundleCodec: CollectionCodec {
  static let version: Int64 = 1
  static let mark = "bundle"

  static let format = Format(
    name: "bundle", title: "Keepsake bundle", fileExtensions: ["tar"], canRead: true,
    canWrite: true, artifacts: [.inline, .none], holdsSeveral: true,
    sign: "a tar archive that begins with keepsake.json",
    leavesOut: [.attachments, .drafts, .parents])

  static func recognises(_ head: FileHead) -> Bool {
    head.bytes.starts(with: Array("\(BundleName.manifest)\0".utf8))
      && head.isTar
  }

  static func take(_ file: ForeignFile, into store: Store, _ session: Session?) async throws
    -> ImportReport
  {
    try CopyFile.requireNoSession(session, file, format)
    return try await CopyFile.reading(file) {
      try await store.restoring(BundleSource(BundleIndex(file)), identity: Codecs.identity(of:))
    }
  }

  static func write(
    _ sessions: [Session], as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses {
    let hasBytes = options.artifacts != ExportOptions.Artifacts.none
    var writer = BundleWriter(hasBytes: hasBytes, output.take)
    let summary = try writer.writeSessions(sessions)
    if hasBytes { for artifact in summary.artifacts { try await writer.write(artifact) } }
    try writer.finish()
    return CopyFile.losses(of: summary, hasBytes: hasBytes)
  }
}
