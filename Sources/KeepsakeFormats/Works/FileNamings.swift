#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// Gathers what the calls of a session do to files, in the order of the entries.
struct FileNamings {
  /// A call that names a file, with the facts about both.
  struct Naming {
    let call: Entry.ToolCall
    /// The position of the call's entry.
    let position: Int
    /// The index of the call among the calls of its entry.
    let ordinal: Int
    let turn: Int?
    let work: FileWork
    /// The time of the call; nil where the session does not state it.
    let began: Date?
    /// The time of the call's output; nil where the session does not state it.
    fileprivate(set) var ended: Date?
    /// The position of the call's output.
    fileprivate(set) var output: Int?
    /// The digest and size of the file's content after the call; nil where the calls do not tell it.
    let content: (digest: SHA256Digest, size: Int)?
  }

  private(set) var all: [Naming] = []
  private var texts = FileTexts()
  /// The calls that outputs answer, by the position of the output.
  private let answers: [Int: Entry.Attachment.CallReference]
  /// The indices of each call's namings in `all`.
  private var namings: [Entry.Attachment.CallReference: Range<Int>] = [:]

  /// - Parameter answers: The calls that outputs answer, by the position of the output.
  init(answers: [Int: Entry.Attachment.CallReference]) { self.answers = answers }

  /// Looks at the next entry. Entries that name no file may be left out.
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
  /// Returns how a file shows that this call made it.
  /// - Parameters:
  ///   - size: The size of the file, in bytes.
  ///   - modified: The time when the file last changed.
  ///   - digest: Computes the digest of the file; it is called only where the size fits the call.
  /// - Returns: `inferred` where the file's content follows from the calls, `path` where the file last changed while
  ///   the call ran, else nil.
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

  /// The tolerated difference in seconds between the times of a disk and of an agent, which may write its record
  /// late.
  private static let slack = 2.0
}
