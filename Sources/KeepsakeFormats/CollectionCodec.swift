import Keepsake

/// A codec of a format whose files hold any number of sessions.
protocol CollectionCodec: Codec {
  /// Writes several sessions into one file.
  static func write(
    _ sessions: [Session], as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses
}

extension CollectionCodec {
  static func write(
    _ session: Session, as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses {
    try await write([session], as: name, options, into: output)
  }
}
