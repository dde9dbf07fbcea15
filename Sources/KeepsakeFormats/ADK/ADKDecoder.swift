#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads the events of one session of ADK.
struct ADKDecoder: ObjectDecoder {
  static let format = ADKCodec.name
  static let noun = "event"

  private let session: ADKSession
  private let assets: AssetFolder?
  private var calls = GeminiCalls()

  /// - Parameters:
  ///   - session: The session that the events belong to.
  ///   - assets: The files that lie beside the imported file.
  init(_ session: ADKSession, _ assets: AssetFolder?) {
    self.session = session
    self.assets = assets
  }

  var facts: SourceFacts { SourceFacts(id: session.foreignID) }

  mutating func read(_ event: JSONObject, at value: Range<Int>, in record: inout RecordReader)
    -> RecordEntries
  {
    var reader = ADKEvent(event, ADKArtifacts(session, assets), calls)
    reader.read(in: &record)
    calls = reader.calls
    return reader.said
  }
}
