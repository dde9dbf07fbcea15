import Keepsake

/// Writes W3C PROV in its JSON form: what came from what, who took part in it, and how certain each claim is.
enum PROVCodec: WriteOnlyCodec {
  static let format = Format(
    name: "prov", title: "W3C PROV document", otherNames: ["prov-json"], fileExtensions: ["json"],
    canWrite: true, artifacts: [.none, .files],
    leavesOut: [.contents])

  static func write(
    _ session: Session, as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses {
    var writer = try await PROVWriter(Provenance(of: session), output)
    return try await writer.write()
  }
}
