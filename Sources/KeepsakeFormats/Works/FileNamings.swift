#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// Gathers what the calls of a session do to files, in the order of its entries.
struct FileNamings {
  /// A call that names a file, and what is known of it.
  struct Naming {
    let call: Entry.ToolCall
    /// Where the call stands: its entry, and which of that entry's calls it is.
    let position: Int
    let ordinal: Int
    let turn: Int?
    let work: FileWork
    /// When the call and its output came to be, where the session says it.
    let began: Date?
    fileprivate(set) var ended: Date?
    /// The position of the call's output.
    fileprivate(set) var output: Int?
    /// The bytes that the file holds afterwards, by their digest and number, where the calls say it.
    let content: (digest: SHA256Digest, size: Int)?
  }

  private(set) var all: [Naming] = []
  private var texts = FileTexts()
  /// The calls that outputs answer, by the positions of the outputs.
  private let answers: [Int: Entry.Attachment.CallReference]
  /// The namings of each call.
  private var namings: [Entry.Attachment.CallReference: Range<Int>] = [:]

  /// - Parameter answers: The calls that outputs answer, by the positions of the outputs.
  init(answers: [Int: Entry.Attachment.CallReference]) { self.answers = answers }

  /// Looks at the next entry; entries that name no file may be left out.
  mutating func add(_ entry: Entry) {
    guard let position = entry.position else { return }
    for (ordinal, call) in entry.toolCalls.enumerated() {
      let first = all.count
      add(call, ordinal, of: entry, at: position)
      if all.count > first {
        namings[.init(position: position, ordinal: ordinal)] = first..<all.count
      }
    }
    guard let answered = answers[position], let named = namings[answered] else { return }
    for index in named {
      all[index].ended = entry.created
      all[index].output = position
    }
  }

  private mutating func add(
    _ call: Entry.ToolCall, _ ordinal: Int, of entry: Entry, at position: Int
  ) {
    for work in FileWork.works(of: call) {
      let content = texts.text(after: work).map { (digest: SHA256.digest(of: $0), size: $0.count) }
      all.append(
        Naming(
          call: call, position: position, ordinal: ordinal, turn: entry.turn,
          work: work,
          began: entry.created, content: work.deed == .name ? nil : content))
    }
  }
}

extension FileNamings.Naming {
  /// How a file shows that this call made it.
  ///
  /// - Parameters:
  ///   - size: How many bytes the file has.
  ///   - modified: When they last changed.
  ///   - digest: Their digest; only asked for where it may be the one that the calls say.
  /// - Returns: `inferred` where the file holds what the calls say, `path` where it last changed while the call ran; nil
  ///   where neither is so.
  func basis(
    ofFileOf size: Int64, modified: Date, digest: () throws -> SHA256Digest
  ) rethrows -> Entry.Attachment.Basis? {
    if let content, Int64(content.size) == size, try digest() == content.digest { return .inferred }
    guard work.deed != .remove, let began, let ended else { return nil }
    let window =
      began.addingTimeInterval(
        -Self.slack)...max(began, ended)
      .addingTimeInterval(Self.slack)
    return window.contains(modified) ? .path : nil
  }

  /// By how many seconds the clocks of a disk and an agent may differ, and an agent be late to write down what happened.
  private static let slack = 2.0
}
