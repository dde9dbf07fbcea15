import Foundation
import Keepsake

@testable import KeepsakeCommand

/// A store in a folder of a test's own, with a conversation about fruit whose tool drew an image.
struct FruitStore {
  let folder: TemporaryFolder
  let session: UUID
  let image: Artifact.ID
  let png = PNGImage.banana(ripeness: 1, side: 16).data

  static let title = "Fruit"
  static let prompt = "a ripe banana, please"

  var path: String { folder.path("Chats.keepsake") }

  init() async throws {
    folder = try TemporaryFolder()
    let store = try await Store(at: URL(filePath: folder.path("Chats.keepsake")))
    let session = try await store.createSession(title: Self.title, origin: "test")
    try await session.append(.instructions("You draw fruit."))
    try await session.append(.prompt(Self.prompt))
    let call = Entry.ToolCall(
      id: "call-1", tool: "GenerateImage", arguments: #"{"content": "banana", "ripe": true}"#)
    try await session.append(.toolCalls([call]))
    let image = try await session.attach(
      Data(png), mediaType: .png, madeBy: call, caption: "a ripe banana")
    try await session.append(.toolOutput(for: call, text: #"{"image": "image_1"}"#))
    var answer = Entry.response("Here is your banana: ![](image_1)")
    answer.model = "painter-1"
    try await session.append(answer)
    self.session = session.id
    guard let artifact = image.artifact else { throw CommandError(message: "It has no bytes.") }
    self.image = artifact.id
    await store.close()
  }

  /// Runs a command on the store.
  func run(
    _ arguments: String..., isStyled: Bool = false, width: Int? = nil, input: String = ""
  ) async -> CommandRun {
    await CommandRun(
      list: arguments, isStyled: isStyled, width: width, input: input,
      environment: ["KEEPSAKE_STORE": path])
  }

  /// Does something to the store with the library.
  func change(_ body: (Store) async throws -> Void) async throws {
    let store = try await Store(at: URL(filePath: path))
    try await body(store)
    await store.close()
  }
}

/// Files of foreign formats that we made.
enum Fixtures {
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures")

  static func path(_ name: String) -> String { folder.appending(path: name).path }
}

extension JSON {
  /// The names of an object's members, in their order.
  var names: [String] { members?.map(\.key) ?? [] }
}
