import Foundation
import Keepsake
import KeepsakeCommand

/// Where an example plays: folders of its own that are removed afterwards, and somebody who listens.
struct Scene: Sendable {
  let folder: URL
  let tell: @Sendable (String) -> Void

  static func play(
    _ example: (Scene) async throws -> Void, telling tell: @escaping @Sendable (String) -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "keepsake-example-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await example(Scene(folder: folder, tell: tell))
  }

  /// A store in a folder of this scene.
  func store(_ name: String = "Chats", options: Store.Options = .init()) async throws -> Store {
    try await Store(at: folder.appending(path: "\(name).keepsake"), options: options)
  }

  /// A folder such as a tool draws into, which the system sweeps when it likes.
  func temporaryFolder() throws -> URL {
    let temporary = folder.appending(path: "T")
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
    return temporary
  }

  func sweep(_ folder: URL) throws {
    try FileManager.default.removeItem(at: folder)
    tell("  (the temporary folder is swept)")
  }

  /// Copies a closed store, as a backup does, or a new phone.
  func copy(_ name: String, to other: String) throws {
    try FileManager.default.copyItem(
      at: folder.appending(path: "\(name).keepsake"),
      to: folder.appending(path: "\(other).keepsake"))
  }

  /// Tells a conversation as a person would read it.
  func tell(_ session: Session) async throws {
    for try await entry in session.entries {
      let calls = entry.toolCalls.map { "\($0.tool) \($0.arguments)" }
      let said = ([entry.text].filter { !$0.isEmpty } + calls).joined(separator: "; ")
      tell("  \(entry.position ?? 0)  \(entry.kind.rawValue): \(said)")
      for attachment in entry.attachments { tell("     " + card(attachment)) }
    }
  }

  func card(_ attachment: Entry.Attachment) -> String {
    var words = [attachment.label, attachment.state.rawValue]
    if let artifact = attachment.artifact {
      words += [artifact.sniffedType.description, "\(artifact.size) bytes"]
    }
    if let caption = attachment.caption { words.append("“\(caption)”") }
    if let tool = attachment.tool { words.append("by \(tool)") }
    return words.joined(separator: ", ")
  }
}

/// What an image generator gives: real PNG bytes, from nothing but arithmetic.
func picture(of subject: String, size: Int = 24) -> Data {
  let seed = subject.utf8.reduce(7) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
  return Data(
    PNGImage(width: size, height: size) { x, y in
      (x, y, Double(seed % 97) / 97)
    }.data)
}
