import Foundation
import Keepsake
import Testing

/// A store in a folder of a test's own, with a conversation about fruit whose tool drew an image.
final class TalkStore: Sendable {
  let folder: URL
  let session: UUID
  let image: Artifact.ID

  static let png = TestPNG.bytes(width: 16, height: 16)

  var path: String { folder.appending(path: "Fruit.keepsake").path }

  init() async throws {
    folder = FileManager.default.temporaryDirectory.appending(
      path: "mcp-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let store = try await Store(at: folder.appending(path: "Fruit.keepsake"))
    let session = try await store.createSession(title: "Fruit", origin: "test")
    try await session.append(.instructions("You draw fruit."))
    try await session.append(.prompt("a ripe banana, please"))
    let call = Entry.ToolCall(
      id: "call-1", tool: "GenerateImage", arguments: #"{"content": "banana"}"#)
    try await session.append(.toolCalls([call]))
    let image = try await session.attach(
      Data(Self.png), mediaType: .png, madeBy: call, caption: "a ripe banana")
    try await session.append(.toolOutput(for: call, text: #"{"image": "image_1"}"#))
    try await session.append(.reasoning("It asks for a banana."))
    var answer = Entry.response("Here is your banana: ![](image_1)")
    answer.model = "painter-1"
    try await session.append(answer)
    try await store.indexForSearch()
    self.session = session.id
    self.image = try #require(image.artifact).id
    await store.close()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Keeps bytes in a session of their own, and gives the name of the artifact.
  func keep(_ bytes: [UInt8], type: MediaType? = nil, name: String? = nil) async throws
    -> Artifact.ID
  {
    try await change { store in
      let session = try await store.createSession(title: "Things")
      let kept = try await session.attach(.init(.bytes(bytes), mediaType: type, fileName: name))
      return try #require(kept.artifact).id
    }
  }

  /// Does something to the store with the library.
  @discardableResult
  func change<Result>(_ body: (Store) async throws -> Result) async throws -> Result {
    let store = try await Store(at: URL(filePath: path))
    let result = try await body(store)
    await store.close()
    return result
  }
}
