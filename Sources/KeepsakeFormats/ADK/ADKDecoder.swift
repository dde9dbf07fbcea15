#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads the events of one session.
struct ADKDecoder: RecordDecoder {
  static let format = ADKCodec.name

  private let session: ADKSession
  private let assets: AssetFolder?
  private var calls = GeminiCalls()

  /// - Parameters:
  ///   - session: Which session it is.
  ///   - assets: The files that lie with it.
  init(_ session: ADKSession, _ assets: AssetFolder?) {
    self.session = session
    self.assets = assets
  }

  var facts: SourceFacts { SourceFacts(id: session.foreignID) }

  mutating func entries(of record: inout RecordReader, at value: Range<Int>) -> [SourceEntry] {
    guard let event = JSONObject(value, in: record.bytes) else {
      record.remark("The event is no object; it is kept as it is.")
      EmbeddedBase64.cut(value, from: &record)
      return []
    }
    record.noteRepeated(event)
    var reader = ADKEvent(event, ADKArtifacts(session, assets), calls)
    reader.read(in: &record)
    calls = reader.calls
    var said = reader.said
    EmbeddedBase64.cut(value, from: &record)
    if !record.fits(value) {
      let reason = "The event is too large for an entry; it is kept as it is."
      said.replace(with: record.whole(value, type: "event", because: reason))
    }
    return said.entries
  }
}
