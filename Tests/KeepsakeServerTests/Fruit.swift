import Foundation
import Keepsake
import KeepsakeFiles

/// A conversation about fruit, with something of everything that the server tells of.
struct Fruit {
  let session: UUID
  let fork: UUID
  let image: Artifact.ID
  /// A file that is too large to be a row.
  let recording: Artifact.ID

  static let prompt = "a ripe banana, please"
  /// Of one pixel.
  static let png = [UInt8](
    Data(
      base64Encoded:
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    ) ?? Data())
  /// The beginning of a sound, and then as much as makes it a file of its own.
  static let wav =
    Array("RIFF".utf8) + [0x24, 0x0D, 0x03, 0] + Array("WAVEfmt ".utf8)
    + (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  init(in store: Store) async throws {
    let session = try await store.createSession(
      title: "Fruit", origin: "test", tags: ["yellow"],
      metadata: try JSON(validating: #"{"app": {"theme": 1}}"#))
    try await session.append(.instructions("You draw fruit."))
    try await session.append(.prompt(Self.prompt))
    let call = Entry.ToolCall(
      id: "call-1", tool: "GenerateImage", arguments: #"{"content": "banana"}"#)
    try await session.append(.toolCalls([call]))
    let run = try await session.begin(
      .tool, "GenerateImage", .init(arguments: call.arguments, model: "painter-1"), callID: "call-1"
    )
    let image = try await session.attach(
      Data(Self.png), mediaType: .png, madeBy: call, caption: "a ripe banana")
    try await session.end(run, .finished, output: "image_1")
    try await session.append(.toolOutput(for: call, text: #"{"image": "image_1"}"#))
    var answer = Entry.response("Here is your banana: ![](image_1)")
    answer.model = "painter-1"
    answer.rawUsage = try JSON(validating: #"{"input": 12, "output": 5}"#)
    try await session.append(answer)
    let sound = try await session.attach(
      .init(.bytes(Self.wav), fileName: "song.wav", label: "song"), to: 1)
    try await session.revise(0, to: .instructions("You draw fruit, and only fruit."))
    _ = try await session.begin(.step, "Resize")
    let fork = try await session.fork(before: 2, title: "Pears")
    try await fork.append(.prompt("and a pear"))
    self.session = session.id
    self.fork = fork.id
    guard let image = image.artifact, let sound = sound.artifact else { throw Missing() }
    self.image = image.id
    recording = sound.id
  }

  struct Missing: Error {}

  /// The address of the session in the API.
  var path: String { "/api/1/sessions/\(session.uuidString.lowercased())" }
}
