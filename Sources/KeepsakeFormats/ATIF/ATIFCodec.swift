import Keepsake

/// Writes Harbor's Agent Trajectory Interchange Format 1.8, which is made for evaluating agents and training models.
enum ATIFCodec: WriteOnlyCodec {
  static let format = Format(
    name: "atif", title: "ATIF trajectory", fileExtensions: ["json"], canWrite: true,
    artifacts: [.files, .none],
    leavesOut: Losses.ofMessages.subtracting([.takenBack]))

  static func write(
    _ session: Session, as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses {
    var writer = try await ATIFWriter(session, output)
    return try await writer.write()
  }
}
