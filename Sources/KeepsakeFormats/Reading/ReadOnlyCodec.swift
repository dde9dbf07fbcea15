import Keepsake

/// A codec of a format that is only read. A session that was imported from it and has not changed is written as it
/// stood.
protocol ReadOnlyCodec: FileCodec {}

extension ReadOnlyCodec {
  static func write(
    _ session: Session, as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses {
    guard options.resumption == nil, let sheet = try session.sourceSheet(format: format.name),
      sheet.isWhole
    else {
      throw FormatError(
        .unsupported,
        "Can't write session \(session.id) as '\(format.name)': that format is read here, and only what came from it and has not changed since is given back."
      )
    }
    for piece in sheet.pieces { try sheet.replay(piece, into: output.take) }
    return sheet.lossesOfWhole
  }
}
