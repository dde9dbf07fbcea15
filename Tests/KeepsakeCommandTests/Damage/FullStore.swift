import Foundation
import KeepsakeFormats
import KeepsakeSQLite

@testable import Keepsake
@testable import KeepsakeCommand

/// A store with rows in all of its tables and numbers in all of their columns, to make damaged copies of.
struct FullStore {
  let folder: TemporaryFolder
  var path: String { folder.path("Chats.keepsake") }

  init() async throws {
    folder = try TemporaryFolder()
    let hidden: UUID
    let store = try await Store(at: URL(filePath: folder.path("Chats.keepsake")))
    do {
      // A text that is kept as an artifact, in a session that is not shown again and again.
      let large = try await store.createSession(title: "Large")
      try await large.append(.event(String(repeating: "much text. ", count: 100_000)))
      let fruit = try await Self.addConversation(to: store)
      try await Self.addForks(of: fruit, to: store)
      try await Self.addImports(to: store, folder)
      try await store.indexForSearch()
      // One that waits to be indexed.
      try await fruit.append(.event("a plum"))
      hidden = try await store.createSession().id
    } catch {
      await store.close()
      throw error
    }
    await store.close()
    // What is only there while something is under way.
    try Self.change(
      path,
      """
      INSERT OR REPLACE INTO search_queue (session, position)
        SELECT number, entries - 1 FROM session ORDER BY number LIMIT 1;
      INSERT INTO session (id, created, updated, state, head)
        VALUES (randomblob(16), 0, 0, 3, zeroblob(32));
      INSERT INTO restoring (session, owner)
        SELECT max(number), zeroblob(16) FROM session;
      INSERT OR IGNORE INTO removing (session) SELECT max(number) FROM session WHERE state > 1;
      INSERT OR IGNORE INTO trace (place, begun) VALUES (1, 0);
      INSERT INTO running (session, kind, number, owner)
        SELECT session, 1, number, zeroblob(16) FROM invocation LIMIT 1;
      INSERT INTO seen_file (place, size, modified, changed, inode, tail, import, reached, line,
          changes, reader)
        SELECT zeroblob(32), 1, 0, 0, 1, zeroblob(32), number, 1, 1, 1, x'7b7d' FROM import LIMIT 1;
      INSERT INTO stream (project, session, part, import, appends, updated)
        SELECT 'p', 's', '', number, 1, 0 FROM import LIMIT 1;
      INSERT INTO joined (hub, address, since, peer, next, mark, synced, name, note, noted)
        VALUES (zeroblob(16), 'file:///nowhere/Hub', 0, zeroblob(16), 1, '', 0, 'a', '', 0);
      INSERT INTO hub_session (id, version, stamp)
        SELECT id, 1, zeroblob(16) FROM session LIMIT 1;
      INSERT INTO unsent (session, kind, first, second, place)
        SELECT number, 0, 0, 0, 0 FROM session LIMIT 1;
      INSERT INTO unsent_session (session, changes, head)
        SELECT number, 1, zeroblob(32) FROM session LIMIT 1;
      INSERT INTO unsent_removal (id, session) VALUES (randomblob(16), 1);
      UPDATE session SET state = 1 WHERE hex(id) = '\(hidden.uuidString.filter { $0 != "-" })';
      INSERT INTO source (format, created, size, digest, beginning, owner, target)
        SELECT 'apple', 0, 0, zeroblob(32), zeroblob(32), zeroblob(16), number FROM session WHERE state = 1;
      """)
  }

  /// Changes a store as somebody with `sqlite3` at hand would.
  static func change(_ store: String, _ sql: String) throws {
    let db = try Connection(path: store + "/store.sqlite", access: .readWrite)
    defer { db.close() }
    try db.execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; \(sql)")
    // So that all of it is in the one file that is damaged.
    _ = try db.checkpoint(.truncate)
  }

  /// The first column of each row.
  static func values(_ store: String, _ sql: String) throws -> [String] {
    let db = try Connection(path: store + "/store.sqlite", access: .readOnly)
    defer { db.close() }
    let find = try db.prepare(text: sql)
    var values: [String] = []
    while try find.step() { values.append(find.text(0)) }
    return values
  }

  /// The tables that are ours, and their columns of whole numbers, as `table.column`.
  static func columns(_ store: String) throws -> [String] {
    try values(
      store,
      """
      SELECT t.name || '.' || c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
      WHERE t.type = 'table' AND t.name NOT LIKE 'search_%' AND t.name NOT LIKE 'sqlite_%'
          AND t.sql NOT LIKE '%VIRTUAL%' AND c.type = 'INTEGER'
        OR t.name = 'search_queue' AND c.type = 'INTEGER'
      ORDER BY t.name, c.cid
      """)
  }
}

extension FullStore {
  private static func addConversation(to store: Store) async throws -> Session {
    let session = try await store.createSession(
      title: "Fruit", id: DamagedRun.session, origin: "test", foreignID: "f-1", tags: ["fruit"],
      metadata: try JSON(validating: #"{"a":1}"#))
    var instructions = Entry.instructions("You draw fruit.")
    instructions.tags = ["important"]
    try await session.append(instructions)
    let turn = try await session.openTurn()
    let photo = Entry.NewAttachment(
      .data(Data(PNGImage.banana(ripeness: 1, side: 16).data)), mediaType: .png, label: "photo",
      madeBy: .user)
    try await session.append(.prompt("Draw a banana like the one in photo."), attaching: [photo])
    let call = Entry.ToolCall(id: "c1", tool: "Draw", arguments: #"{"what": "banana"}"#)
    try await session.append(.toolCalls([call]))
    let run = try await session.begin(.tool, "Draw", .init(arguments: call.arguments), callID: "c1")
    var made = Entry.NewAttachment(
      .data(Data(repeating: 7, count: 150_000)), caption: "a banana", madeBy: .invocation(run))
    if let id = try await session.attachment("photo").artifact?.id { made.inputs = [.artifact(id)] }
    let banana = try await session.attach(made)
    try await session.caption(banana, "yellow", author: "a person")
    try await session.end(run, .finished, output: "file_1")
    try await session.append(.toolOutput(for: call, text: "Made file_1."))
    var answer = Entry.response("Here it is")
    answer.key = "answer"
    try await session.append(answer)
    answer.segments = [.text("Here is a banana.")]
    try await session.revise(4, to: answer)
    var ranged = Entry.NewAttachment(.data(Data("a range".utf8)), label: "range", madeBy: .response)
    ranged.segment = 0
    ranged.place = .range(8..<14)
    try await session.attach(ranged, to: 4)
    try await session.close(turn, .answered)
    try await session.append(
      (0..<20).map { number in
        var entry = number % 2 == 0 ? Entry.prompt("keyed \(number)") : .response("r \(number)")
        entry.key = "key \(number)"
        return entry
      })
    try await session.save(session.entries.all() + [.response("as a whole transcript")])
    let draft = try await session.draft()
    draft.update("A cherry")
    try await draft.flush()
    draft.update("A pear")
    try await draft.flush()
    return session
  }

  private static func addForks(of fruit: Session, to store: Store) async throws {
    let fork = try await fruit.fork(before: 6, title: "Fork")
    try await fork.append(.response("another banana"))
    try await fork.attach(.init(.data(Data("on shared".utf8)), madeBy: .user), to: 1)
    try await fork.fork(before: 7, title: "Inner").append(.response("inner"))
    let gone = try await store.createSession(title: "Gone")
    for number in 0..<4 { try await gone.append(.prompt("gone \(number)")) }
    try await gone.fork(before: 2, title: "Left").append(.response("left"))
    try await store.deleteSession(gone.id)
  }

  private static func addImports(to store: Store, _ folder: TemporaryFolder) async throws {
    // So much of it, beside so many words, that what is left of its record is packed.
    let image = Data(repeating: 9, count: 36_000).base64EncodedString()
    let words = String(repeating: "See this. ", count: 120)
    func entry(_ id: String, _ text: String) -> String {
      #"{"id":"\#(id)","role":"user","contents":[{"type":"text","id":"0","text":"\#(text)"}],"options":{}}"#
    }
    let picture =
      #"{"id":"B","role":"user","options":{},"contents":[{"type":"text","id":"1","text":"\#(words)"},{"type":"image","id":"0","image":"data:image/png;base64,\#(image)"}]}"#
    let head =
      #"{"type":"FoundationModels.Transcript","version":"1.1","transcript":{"entries":["#
    for entries in [[entry("A", "hi"), picture], [entry("A", "hi"), picture, entry("C", "ho")]] {
      let file = URL(filePath: folder.path("grown.json"))
      try Data((head + entries.joined(separator: ",") + "]}}").utf8).write(to: file)
      _ = try await store.importFile(at: file)
    }
  }
}
