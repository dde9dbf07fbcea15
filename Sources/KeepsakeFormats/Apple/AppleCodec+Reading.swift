#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import Keepsake

extension AppleCodec {
  private typealias Decoder = SingleEntryDecoder<AppleEntryReader>

  private static let paths = [["transcript", "entries"], ["transcript", "transcript", "entries"]]

  /// The framework writes these anew when it decodes a transcript and encodes it again, or when the system or the model
  /// was updated: assets and what else is said of an answer, schemas, options, and the id of a tool's output.
  package static let identity = RecordIdentity.json(leavingOut: [
    VolatileMember("assets"), VolatileMember("metadata"), VolatileMember("options"),
    VolatileMember("contextOptions"), VolatileMember("responseFormat"), VolatileMember("tools"),
    VolatileMember("id", where: "role", is: "tool"),
  ])

  static func read(_ file: ForeignFile) throws -> any SourceReading {
    DocumentReading(file, arrayAt: paths, Decoder())
  }

  /// The entries of a transcript that is in memory, as the framework's encoder gives it.
  ///
  /// It costs the parsing of the JSON; images are not decoded before somebody takes them in.
  /// - Parameters:
  ///   - json: The transcript.
  ///   - created: When its entries came to be, which it doesn't say.
  /// - Throws: ``FormatError``, when it is damaged or no transcript.
  package static func decode(_ json: [UInt8], created: Date? = Date()) throws -> [SourceEntry] {
    var reading = DocumentReading(
      ForeignFile(json, name: "the transcript"), arrayAt: paths, Decoder(created: created))
    var entries: [SourceEntry] = []
    while let record = try reading.next() { entries += record.entries }
    return entries
  }
}
