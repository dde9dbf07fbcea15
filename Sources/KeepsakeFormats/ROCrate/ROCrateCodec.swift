import Keepsake

/// Writes the metadata of an RO-Crate 1.2 in the Process Run Crate profile: what was made, by which tool, for whom.
enum ROCrateCodec: WriteOnlyCodec {
  static let format = Format(
    name: "ro-crate", title: "RO-Crate metadata", fileExtensions: ["json", "jsonld"],
    canWrite: true, artifacts: [.files, .none],
    leavesOut: [.attachments, .contents])

  static func write(
    _ session: Session, as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses {
    var writer = try await ROCrateWriter(Provenance(of: session), output)
    return try await writer.write()
  }
}
