#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import Keepsake

extension AppleCodec {
  private typealias Decoder = SingleEntryDecoder<AppleEntryReader>

  private static let paths = [["transcript", "entries"], ["transcript", "transcript", "entries"]]

  /// The identity of an entry without the members that Apple's framework may write anew.
  ///
  /// They change when the framework decodes and encodes a transcript, or when the system or the model is updated.
  package static let identity = RecordIdentity.json(leavingOut: [
    VolatileMember("assets"), VolatileMember("metadata"), VolatileMember("options"),
    VolatileMember("contextOptions"), VolatileMember("responseFormat"), VolatileMember("tools"),
    VolatileMember("id", where: "role", is: "tool"),
  ])

  static func read(_ file: ForeignFile) throws -> any SourceReading {
    DocumentReading(file, arrayAt: paths, Decoder())
  }

  /// Reads the entries of a transcript in memory, in the form that the framework's encoder produces.
  ///
  /// This costs the parsing of the JSON; images are decoded only when somebody takes them in.
  /// - Parameters:
  ///   - json: The transcript.
  ///   - created: The time that the entries are given, because a transcript states none.
  /// - Returns: The entries, in their order.
  /// - Throws: ``FormatError``, when the JSON is damaged or no transcript.
  package static func decode(_ json: [UInt8], created: Date? = Date()) throws -> [SourceEntry] {
    var reading = DocumentReading(
      ForeignFile(json, name: "the transcript"), arrayAt: paths, Decoder(created: created))
    var entries: [SourceEntry] = []
    while let record = try reading.next() { entries += record.entries }
    return entries
  }
}
