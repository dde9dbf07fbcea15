import Foundation
import Keepsake
import Testing

@Suite("The README's code")
struct ReadmeTests {
  @Test func `the example of a dozen lines gives the conversation back with its image`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "readme-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let temporaryFile = folder.appending(path: "15FB1AFF.png")
    try Data(base64Encoded: Pixel.png)?.write(to: temporaryFile)
    let place = folder.appending(path: "Chats.keepsake")
    var shown: [URL] = []
    func show(_ url: URL) { shown.append(url) }

    // snippet: example
    let store = try await Store(at: place)
    let session = try await store.createSession(title: "Fruit")

    try await session.append(.instructions("You are a helpful assistant."))
    try await session.append(.prompt("give me an image of a banana."))
    let call = Entry.ToolCall(
      tool: "GenerateImage", arguments: #"{"content": "banana", "limit": 1}"#)
    try await session.append(.toolCalls([call]))

    // In the tool: the bytes are safe before the model hears of them.
    let banana = try await session.attach(
      contentsOf: temporaryFile, madeBy: call, caption: "a ripe banana")
    try await session.append(.toolOutput(for: call, text: #"{"images": ["\#(banana.label)"]}"#))
    try await session.append(.response("Here is your banana: ![](\(banana.label))"))

    // A year later, on another machine.
    for try await entry in session.entries {
      print(entry.text)
      for attachment in entry.attachments { show(try await attachment.fileURL()) }
    }
    // end snippet

    #expect(shown.count == 1)
    let url = try #require(shown.first)
    #expect(try Data(contentsOf: url) == Data(base64Encoded: Pixel.png))
    #expect(url.pathExtension == "png")
    await store.close()
  }
}

enum Pixel {
  /// One grey pixel.
  static let png =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
}
