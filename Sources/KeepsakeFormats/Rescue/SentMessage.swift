import KeepsakeFiles
import Keepsake

/// A message as it is sent, whose content may stand in several lines.
struct SentMessage {
  let isModel: Bool
  /// The blocks, each with the line that it stands in.
  var blocks: [(line: Int, block: SentBlock)] = []
  /// The lines with the message's content.
  var lines: [Int] = []
  /// The ids that the program gave the message.
  var ids: Set<String> = []
  /// The length of the content as it is written, in bytes.
  var bytes = 0
  /// The escapes that no service accepts, each with its line.
  var unsendable: [(line: Int, escape: UnsendableEscape)] = []

  init(isModel: Bool) { self.isModel = isModel }

  var calls: [(line: Int, block: SentBlock)] { blocks.filter { $0.block.kind == .call } }
  var results: [(line: Int, block: SentBlock)] { blocks.filter { $0.block.kind == .result } }
  var isResultsOnly: Bool { blocks.allSatisfy { $0.block.kind == .result } }

  /// The images and documents, including those in results.
  var media: [(line: Int, block: SentBlock, media: SentMedia)] {
    blocks.flatMap { line, block in
      ([block] + block.parts).compactMap { block in block.media.map { (line, block, $0) } }
    }
  }
}
