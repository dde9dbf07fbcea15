import Foundation
import Keepsake

@testable import KeepsakeCommand

/// A store in which everything that somebody may have given a name tries to steer the terminal.
struct HostileStore {
  let folder: TemporaryFolder
  let session: UUID
  /// A file whose name does so too, and which is no conversation.
  let file: String
  /// A session of Claude Code that can't be gone on with, all of whose names do so.
  let claude: String

  /// Clears, sets titles and the clipboard, links, shows an image, asks for the cursor, rings, goes back, turns around;
  /// hides what only a model reads, and covers what stands around.
  static let text =
    "\u{1B}[2J\u{1B}]0;t\u{7}\u{1B}]8;;http://x\u{1B}\\y\u{1B}]8;;\u{1B}\\\u{1B}]52;c;eA==\u{7}\u{1B}]1337;File=:AA\u{7}\u{1B}P1$\u{1B}\\\u{1B}_Ga=T;\u{1B}\\\u{1B}X\u{9B}6n\u{9D}0;a\u{9C}\u{7}\u{8}\u{202E}c\u{2066}\u{7F}\u{1B}[6n\u{200B}\u{2060}\u{FEFF}\u{E006F}\u{E0062}z\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}"

  var path: String { folder.path("Chats.keepsake") }

  init() async throws {
    folder = try TemporaryFolder()
    let store = try await Store(at: URL(filePath: folder.path("Chats.keepsake")))
    let text = Self.text
    let session = try await store.createSession(title: text, origin: text, tags: [text])
    self.session = session.id
    var prompt = Entry.prompt("please \(text)\r\(text)")
    prompt.author = text
    prompt.lane = text
    prompt.tags = [text]
    try await session.append(
      prompt,
      attaching: [
        .init(.bytes([1, 2, 3]), mediaType: MediaType(text), fileName: text, caption: text)
      ])
    let call = Entry.ToolCall(id: text, tool: text, arguments: text)
    try await session.append(.toolCalls([call]))
    var drawn = Entry.NewAttachment(
      .data(Data(PNGImage.banana(ripeness: 1, side: 16).data)), fileName: text,
      label: "evil\(text)",
      caption: text, madeBy: .toolCall(call))
    drawn.reference = text
    try await session.attach(drawn)
    try await session.attach(.init(.data(Data(text.utf8)), label: "note", madeBy: .step(text)))
    try await session.append(.toolOutput(for: call, text: text))
    let open = Entry.ToolCall(id: "open", tool: text, arguments: text)
    try await session.append(.toolCalls([open]))
    let run = try await session.begin(
      .tool, text, .init(arguments: text, implementation: text, version: text, model: text))
    try await session.end(run, .failed, detail: text)
    _ = try await session.begin(.tool, text)
    var answer = Entry.response("# \(text)\n**\(text)** [\(text)](\(text))\n|\(text)|\n|-|\n|x|")
    answer.model = text
    answer.usage = Usage(input: 1, cost: .init(1, text))
    try await session.append(answer)
    try await session.append(.reasoning(text))
    try await session.append(.event(text))
    await store.close()
    file = folder.path("evil\u{1B}[2J\u{202E}.txt")
    try Data(text.utf8).write(to: URL(filePath: file))
    claude = folder.path("session.jsonl")
    try Data(Self.claudeSession.utf8).write(to: URL(filePath: claude))
  }

  private static var claudeSession: String {
    let text = JSON.string(text).text
    func line(_ type: String, _ uuid: String, _ message: String) -> String {
      #"{"sessionId":\#(text),"cwd":\#(text),"version":\#(text),"type":"\#(type)","uuid":"\#(uuid)","isApiErrorMessage":true,"message":\#(message)}"#
        + "\n"
    }
    return line("user", "u-1", #"{"content":""}"#)
      + line(
        "assistant", "u-2",
        #"{"content":[{"type":"text","text":\#(text)},{"type":"tool_use","id":\#(text),"name":\#(text)}]}"#
      ) + line("progress", "u-3", "{") + #"{"type":"custom-title","customTitle":\#(text)}"# + "\n"
  }

  /// Runs a command on the store.
  func run(
    _ arguments: [String], width: Int? = nil, isStyled: Bool = false, input: String = ""
  ) async -> CommandRun {
    await CommandRun(
      list: arguments, isStyled: isStyled, width: width, input: input,
      environment: ["KEEPSAKE_STORE": path])
  }
}
