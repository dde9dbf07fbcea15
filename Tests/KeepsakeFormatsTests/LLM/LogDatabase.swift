import Foundation
import KeepsakeSQLite

/// A log database as llm makes it, made here afresh.
struct LogDatabase {
  let url: URL

  /// - Parameters:
  ///   - folder: Where it lies.
  ///   - scripts: What is in it.
  ///   - keepsLog: Whether it has a write-ahead log, with all of it in there.
  init(
    in folder: URL, _ scripts: String..., name: String = "logs.db", keepsLog: Bool = false
  ) throws {
    url = folder.appending(path: name)
    let db = try Connection(path: url.path, access: .create)
    if !keepsLog { try db.execute("PRAGMA journal_mode = DELETE") }
    try db.execute("BEGIN")
    for script in scripts { try db.execute(script) }
    try db.execute("COMMIT")
    db.close()
    if keepsLog { return }
    // A connection of Keepsake leaves the files of the log behind, which the SQLite of llm removes.
    for ending in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: url.path + ending)
    }
  }

  /// What llm adds later.
  func add(_ script: String) throws {
    let db = try Connection(path: url.path, access: .readWrite)
    defer { db.close() }
    try db.execute(script)
  }

  var bytes: Data { get throws { try Data(contentsOf: url) } }
}

// MARK: - Tables

extension LogDatabase {
  static let common = """
    CREATE TABLE "_llm_migrations" ("name" TEXT PRIMARY KEY, "applied_at" TEXT);
    CREATE TABLE "attachments" (
      "id" TEXT PRIMARY KEY, "type" TEXT, "path" TEXT, "url" TEXT, "content" BLOB);
    CREATE TABLE "fragments" (
      "id" INTEGER PRIMARY KEY, "hash" TEXT, "content" TEXT, "datetime_utc" TEXT, "source" TEXT);
    CREATE TABLE "schemas" ("id" TEXT PRIMARY KEY, "content" TEXT);
    CREATE TABLE "tools" (
      "id" INTEGER PRIMARY KEY, "hash" TEXT, "name" TEXT, "description" TEXT, "input_schema" TEXT,
      "plugin" TEXT);
    CREATE TABLE "tool_instances" (
      "id" INTEGER PRIMARY KEY, "plugin" TEXT, "name" TEXT, "arguments" TEXT);
    """

  static let newer = """
    CREATE TABLE "messages" (
      "hash" TEXT PRIMARY KEY, "parent_hash" TEXT, "role" TEXT, "provider_metadata" TEXT);
    CREATE TABLE "parts" (
      "id" INTEGER PRIMARY KEY, "message_hash" TEXT, "position" INTEGER, "type" TEXT,
      "tool_name" TEXT, "text" TEXT, "payload" TEXT);
    CREATE UNIQUE INDEX "idx_parts" ON "parts" ("message_hash", "position");
    CREATE TABLE "part_attachments" (
      "part_id" INTEGER, "attachment_id" TEXT, "order" INTEGER,
      PRIMARY KEY ("part_id", "attachment_id", "order"));
    CREATE TABLE "part_fragments" (
      "part_id" INTEGER, "fragment_id" INTEGER, "order" INTEGER,
      PRIMARY KEY ("part_id", "fragment_id", "order"));
    CREATE TABLE "threads" (
      "id" TEXT PRIMARY KEY, "name" TEXT, "tip_message_hash" TEXT, "forked_from" TEXT,
      "datetime_utc" TEXT);
    CREATE TABLE "turns" (
      "id" TEXT PRIMARY KEY, "thread_id" TEXT, "parent_message_hash" TEXT, "tip_message_hash" TEXT,
      "model" TEXT, "resolved_model" TEXT, "options_json" TEXT, "schema_id" TEXT,
      "input_tokens" INTEGER, "output_tokens" INTEGER, "token_details" TEXT,
      "duration_ms" INTEGER, "datetime_utc" TEXT, "response_json" TEXT);
    CREATE TABLE "turn_fragments" (
      "turn_id" TEXT, "fragment_id" INTEGER, "order" INTEGER, "kind" TEXT,
      PRIMARY KEY ("turn_id", "fragment_id", "kind", "order"));
    CREATE TABLE "turn_tools" (
      "turn_id" TEXT, "tool_id" INTEGER, "instance_id" INTEGER, PRIMARY KEY ("turn_id", "tool_id"));
    """

  static let older = """
    CREATE TABLE "conversations" ("id" TEXT PRIMARY KEY, "name" TEXT, "model" TEXT);
    CREATE TABLE "responses" (
      "id" TEXT PRIMARY KEY, "model" TEXT, "prompt" TEXT, "system" TEXT, "prompt_json" TEXT,
      "options_json" TEXT, "response" TEXT, "response_json" TEXT, "conversation_id" TEXT,
      "duration_ms" INTEGER, "datetime_utc" TEXT, "input_tokens" INTEGER,
      "output_tokens" INTEGER, "token_details" TEXT, "schema_id" TEXT, "resolved_model" TEXT,
      "reasoning" TEXT);
    CREATE TABLE "prompt_attachments" (
      "response_id" TEXT, "attachment_id" TEXT, "order" INTEGER,
      PRIMARY KEY ("response_id", "attachment_id"));
    CREATE TABLE "prompt_fragments" (
      "response_id" TEXT, "fragment_id" INTEGER, "order" INTEGER,
      PRIMARY KEY ("response_id", "fragment_id", "order"));
    CREATE TABLE "system_fragments" (
      "response_id" TEXT, "fragment_id" INTEGER, "order" INTEGER,
      PRIMARY KEY ("response_id", "fragment_id", "order"));
    CREATE TABLE "tool_responses" (
      "tool_id" INTEGER, "response_id" TEXT, PRIMARY KEY ("tool_id", "response_id"));
    CREATE TABLE "tool_calls" (
      "id" INTEGER PRIMARY KEY, "response_id" TEXT, "tool_id" INTEGER, "name" TEXT,
      "arguments" TEXT, "tool_call_id" TEXT);
    CREATE TABLE "tool_results" (
      "id" INTEGER PRIMARY KEY, "response_id" TEXT, "tool_id" INTEGER, "name" TEXT,
      "output" TEXT, "tool_call_id" TEXT, "instance_id" INTEGER, "exception" TEXT);
    CREATE TABLE "tool_results_attachments" (
      "tool_result_id" INTEGER, "attachment_id" TEXT, "order" INTEGER,
      PRIMARY KEY ("tool_result_id", "attachment_id"));
    """

  /// The tables as they were in the first version that had conversations.
  static let oldest = """
    CREATE TABLE [_llm_migrations] ([name] TEXT PRIMARY KEY, [applied_at] TEXT);
    CREATE TABLE [conversations] ([id] TEXT PRIMARY KEY, [name] TEXT, [model] TEXT);
    CREATE TABLE [responses] (
      [id] TEXT PRIMARY KEY, [model] TEXT, [prompt] TEXT, [system] TEXT, [prompt_json] TEXT,
      [options_json] TEXT, [response] TEXT, [response_json] TEXT, [conversation_id] TEXT,
      [duration_ms] INTEGER, [datetime_utc] TEXT);
    """
}

// MARK: - Rows

extension LogDatabase {
  static let picture = Data((0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 / 256) })

  static func hex(_ data: Data) -> String {
    data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  static func message(_ hash: String, after parent: String?, _ role: String) -> String {
    let parent = parent.map { "'\($0)'" } ?? "NULL"
    return "INSERT INTO messages VALUES ('\(hash)', \(parent), '\(role)', NULL);"
  }

  static func part(
    _ id: Int, of hash: String, _ position: Int = 0, _ type: String = "text", _ text: String? = nil,
    payload: String? = nil
  ) -> String {
    let text = text.map { "'\($0)'" } ?? "NULL"
    let payload = payload.map { "'\($0)'" } ?? "NULL"
    return
      "INSERT INTO parts VALUES (\(id), '\(hash)', \(position), '\(type)', NULL, \(text), \(payload));"
  }

  static func turn(
    _ id: String, of thread: String, from parent: String, to tip: String, second: Int,
    details: String = "NULL"
  ) -> String {
    """
    INSERT INTO turns VALUES ('\(id)', '\(thread)', '\(parent)', '\(tip)', 'fruit', 'fruit-2', NULL, NULL, 20, 5,
      \(details), 7, '2026-11-20T10:00:0\(second).500000+00:00', NULL);
    """
  }

  static let bytes =
    "INSERT INTO attachments VALUES ('a-1', 'image/png', NULL, NULL, x'\(hex(picture))');"

  /// A thread in which a tool draws a picture, which llm hands to the model as the user's.
  static var chart: String {
    [
      bytes,
      "INSERT INTO attachments VALUES ('a-2', 'image/png', '/home/alice/b.png', NULL, NULL);",
      "INSERT INTO attachments VALUES ('a-3', 'image/png', NULL, 'https://example.com/c.png', NULL);",
      "INSERT INTO threads VALUES ('t-1', 'A chart', 'm-6', NULL, '2026-11-20 10:00:00.000000+00:00');",
      message("m-1", after: nil, "system"), part(1, of: "m-1", 0, "text", "You draw."),
      message("m-2", after: "m-1", "user"), part(2, of: "m-2", 0, "text", "Like these"),
      part(3, of: "m-2", 1, "attachment", payload: #"{"attachment":{"id":"a-1"}}"#),
      part(4, of: "m-2", 2, "attachment", payload: #"{"attachment":{"id":"a-2"}}"#),
      part(5, of: "m-2", 3, "attachment", payload: #"{"attachment":{"id":"a-3"}}"#),
      "INSERT INTO part_attachments VALUES (3, 'a-1', 0), (4, 'a-2', 0), (5, 'a-3', 0);",
      message("m-3", after: "m-2", "assistant"), part(6, of: "m-3", 0, "reasoning", "A bar."),
      part(
        7, of: "m-3", 1, "tool_call",
        payload: #"{"name": "draw", "arguments": {"kind": "bar"}, "tool_call_id": "c-1"}"#),
      message("m-4", after: "m-3", "tool"),
      part(
        8, of: "m-4", 0, "tool_result",
        payload: #"{"name": "draw", "output": "drawn", "tool_call_id": "c-1"}"#),
      message("m-5", after: "m-4", "user"),
      part(9, of: "m-5", 0, "attachment", payload: #"{"attachment":{"id":"a-1"}}"#),
      "INSERT INTO part_attachments VALUES (9, 'a-1', 0);",
      message("m-6", after: "m-5", "assistant"), part(10, of: "m-6", 0, "text", "Here it is."),
      turn("u-1", of: "t-1", from: "m-2", to: "m-3", second: 1),
      turn(
        "u-2", of: "t-1", from: "m-5", to: "m-6", second: 4,
        details: #"'{"prompt_tokens_details": {"cached_tokens": 4}}'"#),
    ].joined(separator: "\n")
  }

  /// What makes it longer by a question and its answer.
  static var more: String {
    [
      message("m-7", after: "m-6", "user"), part(11, of: "m-7", 0, "text", "Blue"),
      message("m-8", after: "m-7", "assistant"), part(12, of: "m-8", 0, "text", "It is blue."),
      turn("u-3", of: "t-1", from: "m-7", to: "m-8", second: 8),
      "UPDATE threads SET tip_message_hash = 'm-8' WHERE id = 't-1';",
    ].joined(separator: "\n")
  }

  /// A row of the table of responses, with what a test cares for.
  static func response(
    _ id: String, in conversation: String, prompt: String, response: String, system: String = "",
    reasoning: String = "", second: Int
  ) -> String {
    """
    INSERT INTO responses (id, model, prompt, system, response, conversation_id, duration_ms, datetime_utc,
      input_tokens, output_tokens, reasoning)
      VALUES ('\(id)', 'fruit', '\(prompt)', '\(system)', '\(response)', '\(conversation)', 5,
      '2025-06-01T08:00:0\(second).250000+00:00', 9, 3, '\(reasoning)');
    """
  }

  /// A conversation of the older tables in which a tool draws a picture.
  static var olderChart: String { bytes + olderChartAlone }

  /// A conversation without the picture, which another conversation has as well.
  static var olderChartAlone: String {
    [
      "INSERT INTO conversations VALUES ('k-1', 'An older chart', 'fruit');",
      "INSERT INTO fragments VALUES (1, 'h', 'A long novel', NULL, '/home/alice/novel.txt'), (2, 'i', 'Be brief.', NULL, NULL);",
      response(
        "r-1", in: "k-1", prompt: "Draw it", response: "", system: "You draw.", reasoning: "A bar.",
        second: 1),
      "INSERT INTO prompt_fragments VALUES ('r-1', 1, 0);",
      "INSERT INTO system_fragments VALUES ('r-1', 2, 0);",
      "INSERT INTO tools VALUES (1, 'h', 'draw', 'Draws', '{}', NULL);",
      "INSERT INTO tool_responses VALUES (1, 'r-1');",
      "INSERT INTO tool_calls VALUES (1, 'r-1', 1, 'draw', '{\"kind\": \"bar\"}', NULL);",
      response(
        "r-2", in: "k-1", prompt: "", response: "Here it is.", system: "You draw.", second: 2),
      "INSERT INTO system_fragments VALUES ('r-2', 2, 0);",
      "INSERT INTO tool_results VALUES (1, 'r-2', 1, 'draw', 'drawn', NULL, NULL, NULL);",
      "INSERT INTO tool_results_attachments VALUES (1, 'a-1', 0);",
      "INSERT INTO prompt_attachments VALUES ('r-2', 'a-1', 0);",
    ].joined(separator: "\n")
  }
}
