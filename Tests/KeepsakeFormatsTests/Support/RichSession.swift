import Foundation
import Testing

@testable import Keepsake

/// A conversation with everything in it, the same to the byte whenever it is made.
enum RichSession {
  static let png =
    Data(
      base64Encoded:
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    ) ?? Data()

  static func make(in store: Store) async throws -> Session {
    let session = try await store.createSession(
      title: "Fruit | *bowls*",
      id: #require(UUID(uuidString: "3F2A1B2C-0000-4000-8000-000000000001")),
      origin: "test", created: at(0), tags: ["a|b", "fruit"])
    var instructions = Entry.instructions("You draw *fruit*.")
    instructions.toolDefinitions = .array([.object([("name", .string("Draw"))])])
    try await session.append(dated(instructions, 1))

    var prompt = Entry(
      .prompt, segments: [.text("# Like this\n\nDraw a banana like:"), .attachment(0)])
    prompt.author = "Anna"
    prompt.options = .object([("temperature", .number(1))])
    try await session.append(
      dated(prompt, 2),
      attaching: [
        .init(
          .data(Self.png), mediaType: .png, fileName: "../../my sketch.png", label: "sketch",
          caption: "a [sketch]", madeBy: .user)
      ])
    var reasoning = Entry.reasoning("They want a banana.")
    reasoning.signature = "sig"
    try await session.append(dated(reasoning, 3))
    let call = Entry.ToolCall(
      id: "call-1", tool: "Draw", arguments: #"{"what": "banana", "like": "sketch"}"#)
    let other = Entry.ToolCall(id: "call-2", tool: "Speak", arguments: "not JSON ```")
    try await session.append(dated(.toolCalls([call, other]), 4))
    var drawn = Entry.NewAttachment(
      .data(Data(Self.png.reversed())), mediaType: .png, caption: "a ripe banana",
      madeBy: .toolCall(call))
    drawn.reference = "/private/var/T/15FB.png"
    try await session.attach(drawn)
    try await session.append(
      dated(.toolOutput(for: call, text: #"{"path": "/private/var/T/15FB.png"}"#), 5))
    try await session.append(
      dated(.toolOutput(for: other, text: "</details>\n```\n## Response"), 6))
    try await session.attach(
      .init(
        .data(Data("RIFF____WAVE".utf8)), mediaType: .wav, fileName: "Voice.wav",
        madeBy: .toolCall(other)))
    var answer = Entry(
      .response,
      segments: [
        .text("Here: ![](file:///private/var/T/15FB.png), and <b>`Array<Int>`</b>."),
        .structure(.object([("fruit", .string("banana"))]), schema: "Fruit"),
        .text("- a list\n"),
      ])
    answer.model = "painter-1"
    answer.lane = "chat"
    try await session.append(dated(answer, 7))
    try await session.attach(
      .awaited(.remote, reference: "https://example.org/`x`.png", madeBy: .user), to: 6)

    var status = Entry.event("2 of 5 requests left")
    status.visibility = .person
    try await session.append(dated(status, 8))
    try await session.append(dated(.prompt("a secret"), 9))
    try await session.erase(8)
    var cut = Entry.response("I was say")
    cut.status = .interrupted
    try await session.append(dated(cut, 10))
    var foreign = Entry(.unknown)
    foreign.segments = [.opaque(.object([("kind", .string("video"))]), type: "apple.entry")]
    try await session.append(dated(foreign, 11))
    try await session.attach(.init(.data(Data("a note".utf8)), madeBy: .step("Sketch")))
    return session
  }

  private static func at(_ minutes: Int) -> Date {
    Date(timeIntervalSince1970: 1_795_000_000 + Double(minutes) * 60)
  }

  private static func dated(_ entry: Entry, _ minutes: Int) -> Entry {
    var entry = entry
    entry.created = at(minutes)
    return entry
  }
}
