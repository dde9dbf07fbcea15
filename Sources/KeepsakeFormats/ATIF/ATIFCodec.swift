import Keepsake

/// The Agent Trajectory Interchange Format of Harbor, version 1.8: steps of a system, a user and an agent, for evaluating
/// agents and for training models.
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
