import KeepsakeFiles
import Keepsake

/// The rows of a conversation as lines of JSON, with one line for the conversation itself.
protocol DatabaseRows {
  /// The next line with its line break; nil after the last line.
  mutating func next() throws -> [UInt8]?

  /// The name of the conversation.
  var title: String? { get }

  /// Remarks on the line that was read last.
  var remarks: [String] { get }
}
