import Keepsake

extension AnyLanguageModelCodec {
  static func read(_ file: ForeignFile) throws -> any SourceReading {
    DocumentReading<AnyLanguageModelEntryReader>(
      file, arrayAt: [["entries"]], created: file.created)
  }
}
