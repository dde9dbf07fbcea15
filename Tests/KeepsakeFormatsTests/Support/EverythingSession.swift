import Foundation
import KeepsakeFiles
import Testing

@testable import Keepsake

/// A conversation in which everything occurs that formats for others have to say, or to say that they can't: the same to
/// the byte whenever it is made, but for salts, and so for digests of the chain, and for the ids of runs.
enum EverythingSession {
  static let png = RichSession.png
  static let wav = Data("RIFF\u{4}\0\0\0WAVEfmt ".utf8)

  /// What a test says instead of what is another each time.
  struct Made {
    let session: Session
    let fork: Session
    let runs: [Invocation]

    /// A text with names in the place of what is another each time.
    func steady(_ text: String) async throws -> String {
      var text = text
      for (index, run) in runs.enumerated() {
        text = text.replacing(run.id.uuidString.lowercased(), with: "run-\(index)")
      }
      for session in [session, fork] {
        let head = try await session.chainHead().head
        text = text.replacing(head, with: "head-of-\(session.id == fork.id ? "fork" : "it")")
        let positions = try await 0..<session.count()
        for (position, digest) in try await session.entryDigests(positions) {
          text = text.replacing(digest, with: "digest-\(position)")
        }
      }
      return text
    }
  }

  /// The clock of its store.
  static let clock: @Sendable () -> Date = { at(100) }

  static func make(in store: Store) async throws -> Made {
    let session = try await store.createSession(
      title: "Bananas \"& <co>\"\n", id: id(0), origin: "test", created: at(0), tags: ["fruit"])
    var instructions = Entry.instructions("You draw and speak.")
    instructions.toolDefinitions = [["name": "Draw", "description": "Draws."], ["no": "name"]]
    try await session.append(dated(instructions, 1))
    var prompt = Entry(.prompt, segments: [.text("Like this:"), .attachment(0)])
    prompt.author = "Anna"
    prompt.options = ["temperature": 1]
    try await session.append(
      dated(prompt, 2),
      attaching: [.init(.data(png), mediaType: .png, fileName: "../../ä b?.png", label: "sketch")])
    var reasoning = Entry.reasoning("A banana, then.")
    reasoning.signature = "sig"
    try await session.append(dated(reasoning, 3))
    try await session.append(dated(response("I'll draw two.", 3), 4))
    let draw = Entry.ToolCall(id: "call-1", tool: "Draw", arguments: #"{"what": "banana"}"#)
    let speak = Entry.ToolCall(id: "call-1", tool: "Speak \"it\"", arguments: "not JSON")
    let fail = Entry.ToolCall(id: "call-3", tool: "Fail", arguments: "[1]")
    try await session.append(dated(.toolCalls([draw, speak, fail]), 5))
    let runs = try await makeOutputs(draw, speak, fail, in: session)
    try await finish(session, like: draw)
    let fork = try await session.fork(before: 9, title: "Another way", id: id(1000))
    try await fork.append(dated(response("Another answer.", 2000), 20))
    return Made(session: session, fork: fork, runs: runs)
  }

  private static func makeOutputs(
    _ draw: Entry.ToolCall, _ speak: Entry.ToolCall, _ fail: Entry.ToolCall, in session: Session
  ) async throws -> [Invocation] {
    let run = try await session.begin(
      .tool, "Draw", .init(arguments: draw.arguments, implementation: "Painter", version: "2.1"),
      callID: "call-1")
    let drawn = try await session.attach(
      .init(
        .data(Data(png.reversed())), mediaType: .png, caption: "a \"ripe\" banana",
        madeBy: .invocation(run)))
    try await session.end(run, .finished, output: "drawn")
    var output = Entry.toolOutput(
      callID: "call-1", tool: draw.tool, segments: [.text("Drawn: "), .attachment(0)])
    output.timing = ["seconds": 2]
    try await session.append(
      dated(output, 6), attaching: [.init(.data(png), mediaType: .png, madeBy: .toolCall(draw))])
    try await session.append(
      dated(
        .toolOutput(
          callID: "call-1", tool: speak.tool,
          segments: [.structure(["seconds": 1], schema: "Sound"), .attachment(0)]), 7),
      attaching: [
        .init(.data(wav), mediaType: "audio/x-wav", fileName: "Voice.wav", madeBy: .toolCall(speak))
      ])
    let failing = try await session.begin(.tool, "Fail", .init(arguments: "[1]"), callID: "call-3")
    try await session.end(failing, .failed, detail: "no <luck>")
    var failed = Entry.toolOutput(for: fail, text: "Error: no luck")
    failed.status = .failed
    failed.metadata = ["anthropic": ["is_error": true]]
    try await session.append(dated(failed, 8))
    let step = try await session.begin(.step, "Thumbnail", .init(model: "small-1"))
    var small = Entry.NewAttachment(
      .data(Data("%PDF-1.7 small".utf8)), mediaType: "application/pdf", caption: "small",
      madeBy: .invocation(step))
    small.inputs = drawn.artifact.map { [.artifact($0.id)] } ?? []
    try await session.attach(small, to: 7)
    return [run, failing, step]
  }

  private static func finish(_ session: Session, like draw: Entry.ToolCall) async throws {
    var refusal = response("I can't draw that.", 8)
    refusal.metadata = ["openai-chat": ["content": ["0": ["type": "refusal"]]]]
    refusal.usage = Usage(
      input: 120, cachedInput: 100, output: 7, reasoning: 3, cost: .init(Decimal(25) / 10000, "USD")
    )
    try await session.append(dated(refusal, 9))
    try await session.append(dated(.prompt("Why?"), 10))
    try await session.append(dated(response("First words.", 10), 11))
    try await session.revise(10, to: dated(response("Better words.", 10), 11))
    let missing = Entry(.prompt, segments: [.text("And this?"), .attachment(0), .attachment(1)])
    let asked = try await session.append(
      dated(missing, 12),
      attaching: [
        .init(.data(Data("gone".utf8)), mediaType: .png, label: "gone", caption: "was here"),
        .init(.data(Data("ftypisom".utf8)), mediaType: "video/mp4", label: "film"),
      ])
    try await session.erase(asked.attachments[0])
    var other = Entry.toolOutput(callID: "nobody", tool: "Ghost", segments: [.text("boo")])
    other.lane = "side"
    try await session.append(dated(other, 13))
    var status = Entry.event("2 of 5 left")
    status.visibility = .person
    try await session.append(dated(status, 14))
    var cut = response("I was say", 14)
    cut.status = .interrupted
    try await session.append(dated(cut, 15))
    try await session.append(dated(.prompt("a secret"), 16))
    try await session.erase(15)
    try await session.append(
      dated(Entry(.unknown, segments: [.opaque(["kind": "x"], type: "apple.entry")]), 17))
    var last = dated(response("Sent elsewhere", 17), 18)
    last.created = nil
    try await session.append(last)
    try await session.attach(
      .awaited(
        .remote, mediaType: "image/jpeg", reference: "https://example.org/a.jpg", madeBy: .user),
      to: 17)
    try await session.attach(.init(.data(Data("a note".utf8)), madeBy: .step("Sketch")))
  }

  // MARK: - Pieces

  private static func response(_ text: String, _ number: Int) -> Entry {
    var entry = Entry.response(text)
    entry.model = "painter-1"
    return entry
  }

  static func id(_ number: Int) -> UUID {
    let digits = String(number)
    return UUID(
      uuidString: "3F2A1B2C-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count)
        + digits) ?? UUID()
  }

  static func at(_ minutes: Int) -> Date {
    Date(timeIntervalSince1970: 1_795_000_000 + Double(minutes) * 60)
  }

  private static func dated(_ entry: Entry, _ minutes: Int) -> Entry {
    var entry = entry
    entry.id = id(minutes)
    entry.created = at(minutes)
    return entry
  }
}

/// A store whose clock stands still, with a session with everything in it.
func withEverything<Result>(
  _ body: (EverythingSession.Made, URL) async throws -> Result
) async throws -> Result {
  try await withStore(options: .init(now: EverythingSession.clock)) { store, folder in
    try await body(EverythingSession.make(in: store), folder)
  }
}
