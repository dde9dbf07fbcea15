import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("Databases of agents' frameworks")
struct AgentsDatabaseTests {
  private static let agents = """
    CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP, updated_at TIMESTAMP);
    CREATE TABLE agent_messages (
      id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, message_data TEXT NOT NULL,
      created_at TIMESTAMP);
    """

  private static let structure = """
    CREATE TABLE message_structure (
      id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, message_id INTEGER NOT NULL,
      branch_id TEXT NOT NULL DEFAULT 'main', message_type TEXT NOT NULL, sequence_number INTEGER NOT NULL);
    """

  private static func message(_ session: String, _ item: String) -> String {
    let quoted = item.replacing("'", with: "''")
    return
      "INSERT INTO agent_messages (session_id, message_data, created_at) VALUES ('\(session)', '\(quoted)', '2026-01-02 03:04:05');"
  }

  private static let prompt = #"{"role": "user", "content": "Draw a banana"}"#
  private static let call =
    #"{"id": "__fake_id__", "type": "function_call", "call_id": "c1", "name": "draw", "arguments": "{}"}"#
  private static var output: String {
    #"{"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_image", "image_url": "data:image/png;base64,\#(FrameworkFixtures.picture)"}]}"#
  }
  private static func answer(_ text: String) -> String {
    #"{"id": "m-\#(text)", "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "\#(text)"}]}"#
  }

  private static var talk: String {
    "INSERT INTO agent_sessions VALUES ('alice', '2026-01-02 03:04:05', NULL), ('empty', NULL, NULL);"
      + [prompt, call, output, answer("Here")].map { message("alice", $0) }.joined()
      + message("lost", prompt)
  }

  @Test func `each session of the OpenAI Agents SDK is one, with its images and calls`()
    async throws
  {
    try await withStore { store, folder in
      let database = try LogDatabase(in: folder, Self.agents, Self.talk, name: "conversations.db")
      let before = try database.bytes
      let report = try await store.importFile(at: database.url)
      #expect(report.sessions.map(\.format) == ["openai-agents", "openai-agents"])
      #expect(report.sessions.map(\.entries) == [4, 1])
      #expect(report.skipped == [])
      let session = try await store.session(report.sessions[0].id)
      let entries = try await session.entries.all()
      #expect(entries.map(\.kind) == [.prompt, .toolCalls, .toolOutput, .response])
      #expect(entries[2].attachments.map(\.callID) == ["c1"])
      #expect(entries[2].attachments.map(\.basis) == [.recorded])
      #expect(entries[0].created == Date(timeIntervalSince1970: 1_767_323_045))

      let again = try await store.importFile(at: database.url)
      #expect(again.sessions.map(\.added) == [0, 0])
      try database.add(Self.message("alice", Self.answer("More")))
      let grown = try await store.importFile(at: database.url)
      #expect(grown.sessions.map(\.added) == [1, 0])
      #expect(grown.sessions.map(\.id) == report.sessions.map(\.id))
      #expect(before != (try database.bytes))
      #expect(try await store.verify().findings == [])
    }
  }

  @Test func `each branch of a session is one by itself`() async throws {
    try await withStore { store, folder in
      let places = [
        (1, "main", 1), (2, "main", 2), (1, "other", 1), (3, "other", 2),
      ].map { message, branch, number in
        "INSERT INTO message_structure (session_id, message_id, branch_id, message_type, sequence_number) VALUES ('alice', \(message), '\(branch)', 'x', \(number));"
      }.joined()
      let messages = [Self.prompt, Self.answer("One"), Self.answer("Two"), Self.answer("Unplaced")]
        .map { Self.message("alice", $0) }.joined()
      let database = try LogDatabase(
        in: folder, Self.agents, Self.structure, messages, places, name: "a.db")
      let report = try await store.importFile(at: database.url)
      var texts: [[String]] = []
      for session in report.sessions {
        texts.append(try await store.session(session.id).entries.all().map(\.text))
      }
      #expect(
        texts == [["Draw a banana", "One", "Unplaced"], ["Draw a banana", "Two"]])
      #expect(try await store.importFile(at: database.url).sessions.map(\.added) == [0, 0])
    }
  }

  @Test func `rows that are no items are kept, and keep no other from being read`() async throws {
    try await withStore { store, folder in
      let rows = ["not JSON", "[1, 2]", "5", "{}", #"{"type": 7, "content": {}}"#, Self.prompt]
        .map { Self.message("alice", $0) }.joined()
      let database = try LogDatabase(in: folder, Self.agents, rows, name: "a.db")
      let report = try await store.importFile(at: database.url)
      #expect(report.sessions.count == 1)
      #expect(!report.skipped.isEmpty)
      let session = try await store.session(report.sessions[0].id)
      #expect(try await session.entries.all().last?.text == "Draw a banana")
      #expect(try await store.verify().findings == [])
    }
  }

  // MARK: - ADK

  private static let adk = """
    CREATE TABLE app_states (app_name TEXT PRIMARY KEY, state TEXT);
    CREATE TABLE user_states (app_name TEXT, user_id TEXT, state TEXT);
    CREATE TABLE sessions (
      app_name TEXT, user_id TEXT, id TEXT, state TEXT, create_time REAL, update_time REAL,
      PRIMARY KEY (app_name, user_id, id));
    CREATE TABLE events (
      id TEXT, app_name TEXT, user_id TEXT, session_id TEXT, invocation_id TEXT, timestamp REAL,
      event_data TEXT, PRIMARY KEY (app_name, user_id, session_id, id));
    INSERT INTO sessions VALUES ('fruit', 'alice', 's-1', '{}', 1, 2), ('fruit', 'bob', 's-1', '{}', 1, 2);
    """

  static func events(snake: Bool) -> [String] {
    let picture = FrameworkFixtures.picture.replacing("+", with: "-").replacing("/", with: "_")
    let camel = [
      #"{"id": "e1", "author": "user", "timestamp": 1700000000.5, "content": {"role": "user", "parts": [{"text": "Draw a banana"}, {"inlineData": {"mimeType": "image/png", "data": "\#(picture)"}}]}}"#,
      #"{"id": "e2", "author": "painter", "partial": true, "content": {"role": "model", "parts": [{"text": "I dr"}]}}"#,
      #"{"id": "e3", "author": "painter", "modelVersion": "large", "usageMetadata": {"promptTokenCount": 9}, "content": {"role": "model", "parts": [{"text": "hm", "thought": true}, {"functionCall": {"id": "c1", "name": "draw", "args": {"n": 1}}}]}}"#,
      #"{"id": "e4", "author": "painter", "content": {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "draw", "response": {"result": "ok"}}}]}, "actions": {"artifactDelta": {"banana.png": 0, "user:gone.png": 3}}}"#,
      #"{"id": "e5", "author": "painter", "errorCode": "SAFETY", "errorMessage": "blocked"}"#,
    ]
    guard snake else { return camel }
    let names = [
      "inlineData": "inline_data", "mimeType": "mime_type", "modelVersion": "model_version",
      "usageMetadata": "usage_metadata", "promptTokenCount": "prompt_token_count",
      "functionCall": "function_call", "functionResponse": "function_response",
      "artifactDelta": "artifact_delta", "errorCode": "error_code",
      "errorMessage": "error_message",
    ]
    return camel.map { event in
      names.reduce(event) { $0.replacing("\"\($1.key)\"", with: "\"\($1.value)\"") }
    }
  }

  static func document(snake: Bool) -> String {
    let app = snake ? "app_name" : "appName"
    let user = snake ? "user_id" : "userId"
    return
      #"{"id": "s-1", "\#(app)": "fruit", "\#(user)": "alice", "state": {"mood": "good"}, "events": [\#(events(snake: snake).joined(separator: ", "))]}"#
  }

  /// What the file service of ADK keeps beside.
  private static func saveArtifact(in folder: URL) throws -> Data {
    let place = folder.appending(
      path: "artifacts/apps/fruit/users/alice/sessions/s-1/artifacts/banana.png/versions/0")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let bytes = WireFixtures.png + Data("banana".utf8)
    try bytes.write(to: place.appending(path: "banana.png"))
    return bytes
  }

  private static func check(_ session: Session, _ banana: Data) async throws {
    let entries = try await session.entries.all()
    #expect(entries.map(\.kind) == [.prompt, .reasoning, .toolCalls, .toolOutput, .event])
    #expect(entries[0].created == Date(timeIntervalSince1970: 1_700_000_000.5))
    #expect(entries[0].author == nil)
    #expect(entries[1].author == "painter")
    #expect(entries[2].model == "large")
    #expect(entries[2].usage?.input == 9)
    #expect(entries[3].attachments.map(\.callID) == ["c1", "c1"])
    #expect(entries[3].attachments.map(\.basis) == [.recorded, .recorded])
    #expect(entries[3].attachments.map(\.state) == [.present, .missing])
    #expect(entries[3].attachments.last?.reference == "user:gone.png@3")
    #expect(try await entries[3].attachments.first?.data() == banana)
    #expect(entries[4].text == "SAFETY: blocked")
  }

  @Test(arguments: [false, true])
  func `a session of ADK has the artifacts of its calls, from the folder beside`(snake: Bool)
    async throws
  {
    try await withStore { store, folder in
      let banana = try Self.saveArtifact(in: folder)
      let file = folder.appending(path: "session.json")
      let bytes = Data(Self.document(snake: snake).utf8)
      try bytes.write(to: file)
      let report = try await store.importFile(at: file)
      #expect(report.sessions.map(\.format) == ["adk"])
      let session = try await store.session(report.sessions[0].id)
      try await Self.check(session, banana)
      #expect(try await session.exported(as: "adk").bytes == [UInt8](bytes))
      #expect(try await store.importFile(at: file).sessions.map(\.added) == [0])
      #expect(try await store.verify().findings == [])
    }
  }

  @Test func `the sessions of ADK's database are those of their users`() async throws {
    try await withStore { store, folder in
      let banana = try Self.saveArtifact(in: folder)
      let rows = Self.events(snake: true).enumerated().map { number, event in
        "INSERT INTO events VALUES ('e\(number)', 'fruit', 'alice', 's-1', 'i', \(number), '\(event)');"
      }.joined()
      let bob =
        #"INSERT INTO events VALUES ('e0', 'fruit', 'bob', 's-1', 'i', 1, '{"author": "user", "content": {"parts": [{"text": "Hi"}]}}');"#
      let database = try LogDatabase(in: folder, Self.adk, rows, bob, name: "adk.db")
      let report = try await store.importFile(at: database.url)
      #expect(report.sessions.map(\.format) == ["adk-database", "adk-database"])
      #expect(report.sessions.map(\.entries) == [5, 1])
      try await Self.check(store.session(report.sessions[0].id), banana)
      #expect(try await store.importFile(at: database.url).sessions.map(\.added) == [0, 0])
    }
  }

  @Test func `an older database of ADK says its events in columns`() async throws {
    try await withStore { store, folder in
      let older = """
        CREATE TABLE app_states (app_name TEXT); CREATE TABLE user_states (app_name TEXT);
        CREATE TABLE sessions (app_name TEXT, user_id TEXT, id TEXT);
        CREATE TABLE events (
          id TEXT, app_name TEXT, user_id TEXT, session_id TEXT, author TEXT, actions BLOB,
          timestamp DATETIME, content JSON, error_code TEXT);
        INSERT INTO events VALUES
          ('e1', 'fruit', 'alice', 's-1', 'user', x'80', '2026-01-02 03:04:05.000000',
           '{"role": "user", "parts": [{"text": "Hi"}]}', NULL),
          ('e2', 'fruit', 'alice', 's-1', 'painter', x'80', '2026-01-02 03:04:06.000000',
           '{"role": "model", "parts": [{"text": "There"}]}', NULL);
        """
      let database = try LogDatabase(in: folder, older, name: "adk.db")
      let report = try await store.importFile(at: database.url)
      let session = try await store.session(try #require(report.sessions.first).id)
      let entries = try await session.entries.all()
      #expect(entries.map(\.text) == ["Hi", "There"])
      #expect(entries.map(\.author) == [nil, "painter"])
      #expect(entries[0].created == Date(timeIntervalSince1970: 1_767_323_045))
    }
  }

  @Test func `names of artifacts lead nowhere else`() async throws {
    try await withStore { store, folder in
      try Data("secret".utf8).write(to: folder.appending(path: "key"))
      let event =
        #"{"id": "e1", "author": "user", "content": {"parts": [{"text": "Hi"}]}, "actions": {"artifactDelta": {"../../../../key": 0, "/key": 1, "..": 2, "": 3, "a/../../key": 4}}}"#
      let text = #"{"id": "..", "appName": "../..", "userId": "", "events": [\#(event)]}"#
      let report = try await store.importing(Array(text.utf8), in: folder)
      let session = try await store.session(try #require(report.sessions.first).id)
      let states = try await session.attachments().map(\.state)
      #expect(states == Array(repeating: .missing, count: 5))
    }
  }
}
