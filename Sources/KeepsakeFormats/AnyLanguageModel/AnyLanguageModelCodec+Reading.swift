import Keepsake

extension AnyLanguageModelCodec {
  /// The identity of an entry without `assetIDs`, which change with every update of the model.
  static let identity = RecordIdentity.json(leavingOut: [
    VolatileMember("response", "_0", "assetIDs")
  ])

  static func read(_ file: ForeignFile) throws -> any SourceReading {
    DocumentReading(
      file, arrayAt: [["entries"]], SingleEntryDecoder<AnyLanguageModelEntryReader>())
  }
}
