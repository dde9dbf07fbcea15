import Keepsake

/// A codec of a format that is only written.
protocol WriteOnlyCodec: Codec {}

extension WriteOnlyCodec {
  static func recognises(_ head: FileHead) -> Bool { false }

  static func take(_ file: ForeignFile, into store: Store, _ session: Session?) async throws
    -> ImportReport
  {
    throw FormatError(
      .unsupported,
      "Can't import '\(file.name)': the format '\(format.name)' is written and not read here.",
      file: file.name)
  }
}
