import Foundation
import Keepsake
import KeepsakeBenchReport

/// A store with as many entries as years of conversations have.
///
/// Sessions of 200 entries: prompts and responses, and in each session a call of one tool with what it drew. Every tenth
/// entry has one word that the others have not.
final class LargeStore {
  static let tool = "GenerateImage"
  static let word = "lantern"
  private static let entriesOfSession = 200

  let place: URL
  let store: Store
  /// From the middle of the store.
  let old: Session
  /// What is appended to.
  let session: Session
  let artifact: Artifact.ID
  let text: String

  init(of count: Int, at place: URL, _ material: inout Material) async throws {
    self.place = place
    var options = Store.Options()
    // It is indexed as it is filled, and never while something is measured.
    options.searchDelay = nil
    store = try await Store(at: place, options: options)
    let texts = material.texts(2000)
    text = texts[0]
    var middle: (session: Session, artifact: Artifact.ID)?
    let sessions = count / Self.entriesOfSession
    for number in 0..<sessions {
      let made = try await Self.fill(
        try await store.createSession(title: "session \(number)"), number, texts)
      if number == sessions / 2 { middle = made }
      if number % 50 == 49 { try await store.indexForSearch() }
    }
    try await store.indexForSearch()
    guard let middle else { throw Surprise.wrongCount }
    (old, artifact) = middle
    session = try await store.createSession(title: "now")
  }

  private static func fill(_ session: Session, _ number: Int, _ texts: [String]) async throws
    -> (session: Session, artifact: Artifact.ID)
  {
    let call = Entry.ToolCall(tool: tool, arguments: #"{"number": \#(number)}"#)
    var entries: [Entry] = [.prompt("Draw picture \(number), please."), .toolCalls([call])]
    for index in entries.count..<(entriesOfSession - 1) {
      let text = texts[(number * 7 + index) % texts.count]
      entries.append(.turn(index, index % 10 == 5 ? text + " " + word : text))
    }
    try await session.append(entries)
    let drawn = try await session.append(
      .toolOutput(for: call, text: "drawn \(number)"),
      attaching: [
        .init(
          .bytes(Array(repeating: Array("picture \(number)".utf8), count: 40).flatMap { $0 }),
          madeBy: .toolCall(call))
      ])
    guard let artifact = drawn.attachments.first?.artifact else { throw Surprise.wrongCount }
    return (session, artifact.id)
  }

  func remove() async throws {
    await store.close()
    try FileManager.default.removeItem(at: place)
  }
}
