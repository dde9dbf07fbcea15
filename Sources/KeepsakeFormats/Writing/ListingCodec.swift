import Keepsake

/// A codec of a format whose files are listed by one that stands beside them.
protocol ListingCodec: Codec {
  /// The name of the file that lists the others.
  static var listName: String { get }

  /// Writes the list.
  /// - Parameters:
  ///   - files: The sessions in the order of the export, and the names of their files in the same folder.
  ///   - options: The options with which the files were written.
  ///   - output: Takes the bytes of the list, and the files that are put beside it.
  static func writeList(
    of files: [(session: Session, name: String)], _ options: ExportOptions,
    into output: ExportOutput
  ) async throws
}
