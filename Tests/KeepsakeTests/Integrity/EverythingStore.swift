import Foundation
import Keepsake
import KeepsakeSQLite
import KeepsakeTestSupport
import Testing

/// A store with every kind of thing in it, and copies of it to be tampered with.
struct EverythingStore {
  let folder: URL
  var path: URL { folder.appending(path: "Chats.keepsake") }

  /// Makes the store and closes it again.
  init() async throws {
    folder = FileManager.default.temporaryDirectory.appending(
      path: "keepsake-integrity-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let store = try await Store(at: path)
    do {
      try await Self.fill(store)
    } catch {
      await store.close()
      throw error
    }
    // Else the writer would index it or not, as its idle moments come.
    try await store.indexForSearch()
    await store.close()
  }

  func remove() throws { try FileManager.default.removeItem(at: folder) }

  /// A copy, changed as somebody with `sqlite3` at hand would.
  func copy(_ sql: String? = nil) throws -> URL {
    let copy = folder.appending(path: "\(UUID().uuidString).keepsake")
    try FileManager.default.copyItem(at: path, to: copy)
    if let sql { try Self.tamper(with: copy, sql) }
    return copy
  }

  static func tamper(with store: URL, _ sql: String) throws {
    let db = try Connection(path: store.appending(path: "store.sqlite").path, access: .readWrite)
    defer { db.close() }
    try db.execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; \(sql)")
  }

  /// The first column of each row.
  func values(_ sql: String) throws -> [String] {
    let db = try Connection(path: path.appending(path: "store.sqlite").path, access: .readOnly)
    defer { db.close() }
    let find = try db.prepare(text: sql)
    var values: [String] = []
    while try find.step() { values.append(find.text(0)) }
    return values
  }

  private static func fill(_ store: Store) async throws {
    let session = try await store.createSession(title: "Fruit", tags: ["a"])
    try await session.append(.instructions("You draw fruit."))
    let turn = try await session.openTurn()
    let photo = Entry.NewAttachment(
      .data(Data("a photo".utf8)), mediaType: MediaType("text/plain"), fileName: "photo.txt",
      label: "photo", caption: "a table", madeBy: .user)
    try await session.append(.prompt("Draw a banana like the one in photo."), attaching: [photo])

    let drawing = Entry.ToolCall(id: "call-1", tool: "Draw", arguments: #"{"what": "banana"}"#)
    let looking = Entry.ToolCall(id: "call-2", tool: "Look", arguments: "{}")
    try await session.append(.toolCalls([drawing, looking]))
    let run = try await session.begin(
      .tool, "Draw",
      .init(
        arguments: drawing.arguments, implementation: "Draw.swift", version: "1", model: "painter",
        parameters: #"{"seed": 1}"#), callID: drawing.id)
    let photoID = try #require(try await session.attachment("photo").artifact?.id)
    var made = Entry.NewAttachment(
      .data(Data(repeating: 7, count: 150_000)), caption: "a banana", madeBy: .invocation(run))
    made.inputs = [.artifact(photoID), .entry(1)]
    try await session.attach(made)
    var remote = Entry.NewAttachment.awaited(
      .remote, reference: "https://example.org/banana.png", madeBy: .toolCall(looking))
    remote.place = .pointer("/images/0")
    try await session.attach(remote)
    try await session.end(run, .finished, output: "file_1", detail: "well")
    let step = try await session.begin(.step, "Thumbnail")
    try await session.end(step, .failed, detail: "no space")
    try await session.append(.toolOutput(for: drawing, text: "Made file_1."))
    try await session.append(.toolOutput(for: looking, text: #"{"images": ["file_2"]}"#))

    var answer = Entry.response("Here it is")
    answer.key = "answer"
    answer.lane = "chat"
    answer.author = "assistant"
    answer.model = "large"
    try await session.append(answer)
    answer.segments = [.text("Here is file_1")]
    try await session.revise(5, to: answer)
    answer.segments = [.text("Here is file_1, a banana.")]
    answer.status = .failed
    try await session.revise(5, to: answer)
    var ranged = Entry.NewAttachment(.data(Data("a range".utf8)), madeBy: .response)
    ranged.segment = 0
    ranged.place = .range(8..<14)
    ranged.label = "photo"
    try await session.attach(ranged, to: 5)
    try await session.attach(.init(.data(Data("unbound".utf8)), madeBy: .step("Sketch")))
    try await session.close(turn, .answered)

    let fork = try await session.fork(before: 4)
    try await fork.append(.toolOutput(for: looking, text: "Another look."))
    try await fork.append(.response("Another answer."))
    let other = try await store.createSession()
    try await other.append(.prompt("Something else."))
    try await other.append(.event("A call that is named as one of another session."))
    try await other.append(.toolCalls([Entry.ToolCall(id: "call-1", tool: "Draw")]))
    try await other.append(.toolOutput(callID: "call-1", tool: "Draw", segments: [.text("No.")]))

    // Two of a kind, so that one can be put back behind the other's last change.
    let pairs = try await store.createSession()
    let sketches = [
      try await pairs.attach(.init(.data(Data("one".utf8)), madeBy: .step("Sketch"))),
      try await pairs.attach(.init(.data(Data("two".utf8)), madeBy: .step("Sketch"))),
    ]
    for sketch in sketches { try await pairs.caption(sketch, "a sketch") }
    let steps = [
      try await pairs.begin(.step, "Thumbnail"), try await pairs.begin(.step, "Thumbnail"),
    ]
    for step in steps { try await pairs.end(step, .finished, output: "small") }
  }
}

/// The verifier that shares no code with Keepsake.
enum OtherVerifier {
  /// What it says of one store.
  static func run(_ store: URL) throws -> (status: Int, heads: [String], faults: String) {
    let (status, output, faults) = try python([program, store.path])
    return (status, output, faults)
  }

  /// Its exit codes for many stores, from one process: starting Python takes longer than verifying.
  static func statuses(_ stores: [URL]) throws -> [Int] {
    let code = """
      import contextlib, runpy, sys
      program, *stores = sys.argv[1:]
      for store in stores:
          sys.argv = [program, store]
          try:
              with contextlib.redirect_stdout(sys.stderr): runpy.run_path(program)
          except SystemExit as end: print(end.code)
      """
    return try python(["-c", code, program] + stores.map(\.path)).output.compactMap { Int($0) }
  }

  private static let program = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "tools/verify-chain.py").path

  private static func python(_ arguments: [String]) throws -> (
    status: Int, output: [String], faults: String
  ) {
    let run = try ProgramRun(
      ["python3", "-B"] + arguments,
      environment: ProcessInfo.processInfo.environment.merging(["LC_ALL": "C.UTF-8"]) { $1 })
    return (Int(run.exitCode), run.output.split(separator: "\n").map(String.init), run.errors)
  }
}
