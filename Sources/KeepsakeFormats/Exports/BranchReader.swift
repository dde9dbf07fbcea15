import Keepsake

/// Reads the messages of one branch in their order.
protocol BranchReader {
  /// - Parameters:
  ///   - conversation: The conversation that the messages are part of.
  ///   - assets: The files that lie beside the export.
  init(_ conversation: JSONObject, _ assets: AssetFolder?)

  mutating func read(
    _ message: JSONObject, at place: Range<Int>, id: String, in record: inout RecordReader)

  var entries: [SourceEntry] { get }
}
