#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFiles

/// The tool `append_entry`, which adds an entry to a session, or begins a session with it.
struct AppendEntryTool: Tool {
  let name = "append_entry"
  let title = "Keep an entry"
  let about = """
    Adds an entry at the end of a conversation, or begins a new conversation with it. It is durable when this returns. \
    The key is yours: the same key with the same content is acknowledged again and adds nothing, so repeat a call that \
    you are not sure of. The entry is marked for ever as written by this client.
    """

  let parameters: [ToolParameter] = [
    .init(
      name: "key", kind: .text, about: "Your own id of the entry, such as a UUID.",
      isRequired: true),
    .init(
      name: "session", kind: .text,
      about: "The session's id, or at least 6 digits of it; without it a new session begins."),
    .init(name: "title", kind: .text, about: "The title of a new session."),
    .init(
      name: "kind", kind: .choice(["prompt", "response", "event"]),
      about: "Whether a person said it, a model, or whether it happened beside that.",
      isRequired: true),
    .init(
      name: "text", kind: .text, about: "The text, of at most 262,144 bytes.", isRequired: true),
    .init(name: "model", kind: .text, about: "The model that said it."),
  ]

  let output: [ToolOutputMember]? = [
    .init(name: "session", kind: .string), .init(name: "position", kind: .integer),
    .init(name: "created", kind: .boolean),
  ]

  let writes = true
  let isIdempotent = true

  func call(_ arguments: ToolArguments, _ context: ToolContext) async throws -> ToolResult {
    guard let key = arguments.word("key"), key.utf8.count <= 256 else {
      throw ToolError("'key' takes a text of 1 to 256 bytes.")
    }
    let entry = try Self.entry(arguments, key: key, context.client)
    let session: Session
    if let name = arguments.word("session") {
      guard !arguments.has("title") else {
        throw ToolError("'title' is for a new session. Leave it out, or leave out 'session'.")
      }
      session = try await context.session(name)
    } else {
      session = try await Self.newSession(key, title: arguments.word("title"), context)
    }
    let stored = try await Self.append(entry, to: session)
    return .data([
      "session": .string(session.id.text), "position": .number(Int64(stored.position ?? 0)),
      "created": .bool(stored.id == entry.id),
    ])
  }

  private static func entry(
    _ arguments: ToolArguments, key: String, _ client: String?
  ) throws -> Entry {
    let text = arguments.text("text") ?? ""
    guard !text.isEmpty, text.utf8.count <= ClientLimits.entryText else {
      throw ToolError(
        "'text' has \(text.utf8.count) bytes: it takes 1 to \(ClientLimits.entryText). Part a longer one into several entries."
      )
    }
    let kinds: [String: Entry.Kind] = ["prompt": .prompt, "response": .response]
    var entry = Entry(
      kinds[arguments.text("kind") ?? ""] ?? .event, segments: [.text(text)])
    entry.key = key
    entry.model = arguments.word("model")
    entry.author = ClientMark.author(client)
    entry.metadata = ClientMark.metadata(client)
    return entry
  }

  /// The session that begins with the entry of a key. The same key of the same client gives the same session, also when the
  /// process was killed between the session and its entry.
  private static func newSession(
    _ key: String, title: String?, _ context: ToolContext
  ) async throws -> Session {
    let client = ClientMark.name(context.client)
    let seed =
      "keepsake.mcp.session.1\n\(context.store.id.text)\n\(client.utf8.count)\n\(client)\n\(key)"
    let id = UUID(named: seed)
    do {
      return try await context.store.createSession(
        title: title.map { VisibleText.line($0) }, id: id, origin: ClientMark.origin)
    } catch let error as KeepsakeError where error.code == .conflict {
      return try await context.store.session(id)
    }
  }

  private static func append(_ entry: Entry, to session: Session) async throws -> Entry {
    do { return try await session.append(entry) } catch let error as KeepsakeError
      where error.code == .conflict
    {
      throw ToolError(
        "The session has an entry with this key and other content. Use another key for another entry."
      )
    }
  }
}

extension UUID {
  /// An id that follows from a name, in the form that RFC 9562 leaves to programs.
  fileprivate init(named name: String) {
    var bytes = Array(SHA256.digest(of: Array(name.utf8)).bytes.prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    self.init(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8],
        bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}
