import Keepsake

/// Reads the messages of one service in order.
protocol WireReader: Sendable {
  static var format: String { get }
  /// The key of the list of messages in a request.
  static var listKey: String { get }

  /// Returns whether an element belongs to the same record as the element before it.
  static func joins(_ element: JSONObject, to last: JSONObject) -> Bool
  static var joinsElements: Bool { get }
  /// Joins the entries of elements that are one record.
  static func joined(_ entries: [SourceEntry]) -> [SourceEntry]

  init()

  /// The instructions and tools that a request states beside its messages; nil where there are none.
  func instructions(_ request: JSON) -> Entry?

  /// Reads the entries of a message.
  mutating func message(
    _ message: JSONObject, at value: Range<Int>, in record: inout RecordReader
  ) -> [SourceEntry]

  /// Reads the entries of a service's answer; nil where an object is no answer.
  mutating func answer(
    _ answer: JSONObject, at value: Range<Int>, in record: inout RecordReader
  ) -> [SourceEntry]?
}

extension WireReader {
  static func joins(_ element: JSONObject, to last: JSONObject) -> Bool { false }
  static var joinsElements: Bool { false }
  static func joined(_ entries: [SourceEntry]) -> [SourceEntry] { entries }
}
