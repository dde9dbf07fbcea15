import KeepsakeFiles
import Keepsake

/// The content of a message in one line.
struct SentContent: Sendable {
  /// The range of the content in the line.
  let range: Range<Int>
  /// Whether the content is a text, and no list.
  let isText: Bool
  let blocks: [SentBlock]
  let unsendable: [UnsendableEscape]

  /// Reads the content of a message; nil where there is none.
  init?(of message: JSONObject, at pointer: String, in line: [UInt8]) {
    guard let content = message["content"] else { return nil }
    range = content
    unsendable = UnsendableEscape.all(in: content, of: line)
    isText = message.kind("content") == .string
    if isText {
      blocks = [SentBlock(text: content, at: "\(pointer)/content", in: line)]
    } else {
      guard let elements = JSONText.elements(content, in: line) else { return nil }
      blocks = elements.enumerated().map { index, block in
        SentBlock(block, at: "\(pointer)/content/\(index)", in: line)
      }
    }
  }

  /// All blocks, each result followed by the blocks in it.
  var all: [SentBlock] { blocks.flatMap { [$0] + $0.parts } }

  /// Whether the content consists of results.
  var isResultsOnly: Bool { !blocks.isEmpty && blocks.allSatisfy { $0.kind == .result } }
}
