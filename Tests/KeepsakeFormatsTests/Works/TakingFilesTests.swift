import Foundation
import Keepsake
import Testing

@testable import KeepsakeFormats

@Suite("Files that tool calls made")
struct TakingFilesTests {
  /// When the calls of the session below are made.
  private static let start = Date(timeIntervalSince1970: 1_700_000_000)

  /// A session in which an agent writes files of a folder; each call takes five seconds, and ten pass between two.
  private static func work(in folder: URL, _ store: Store) async throws -> Session {
    let session = try await store.createSession(title: "Work")
    try await session.append(.prompt("Make an app and its logo"))
    let calls: [(String, [(String, JSON)])] = [
      (
        "Write",
        [("file_path", .string("\(folder.path)/app.py")), ("content", .string("print('a')\n"))]
      ),
      (
        "Edit",
        [
          ("file_path", .string("\(folder.path)/app.py")), ("old_string", .string("'a'")),
          ("new_string", .string("'b'")),
        ]
      ),
      ("Bash", [("command", .string("convert in.png logo.png"))]),
      ("Write", [("file_path", .string("\(folder.path)/gone.txt")), ("content", .string("x"))]),
      ("Write", [("file_path", .string("\(folder.path)/other.txt")), ("content", .string("x"))]),
      ("Write", [("file_path", .string("/home/alice/outside.txt")), ("content", .string("x"))]),
      ("NotebookEdit", [("notebook_path", .string("\(folder.path)/n.ipynb"))]),
    ]
    for (number, (tool, arguments)) in calls.enumerated() {
      let call = Entry.ToolCall(
        id: "c\(number)", tool: tool, arguments: JSON.object(arguments).text)
      var asked = Entry.toolCalls([call])
      asked.created = start + Double(number * 10)
      try await session.append(asked)
      var answered = Entry.toolOutput(for: call, text: "ok")
      answered.created = start + Double(number * 10 + 5)
      try await session.append(answered)
    }
    return session
  }

  private static func put(_ text: String, _ name: String, in folder: URL, at seconds: Double) throws
  {
    let url = folder.appending(path: name)
    try Data(text.utf8).write(to: url)
    try FileManager.default.setAttributes(
      [.modificationDate: start + seconds], ofItemAtPath: url.path)
  }

  /// The folder as it was left, with a picture that the command read, and a file that somebody changed later.
  private static func leave(_ folder: URL) throws {
    try put("print('b')\n", "app.py", in: folder, at: 90_000)
    try put("\u{89}PNG", "logo.png", in: folder, at: 23)
    try put("\u{89}PNG in", "in.png", in: folder, at: -500)
    try put("changed", "other.txt", in: folder, at: 90_000)
    try put("{}", "n.ipynb", in: folder, at: 64)
  }

  @Test func `are taken in where content or time shows it, each with its basis`() async throws {
    try await withStore { store, folder in
      try Self.leave(folder)
      let session = try await Self.work(in: folder, store)
      let taken = try await session.takeFiles(from: [folder])
      #expect(
        taken.files.map { $0.path.split(separator: "/").last } == ["app.py", "logo.png", "n.ipynb"])
      #expect(taken.files.map(\.basis) == [.inferred, .path, .path])
      #expect(taken.files.map(\.tool) == ["Edit", "Bash", "NotebookEdit"])
      #expect(taken.files.map(\.position) == [4, 6, 14])
      #expect(taken.gone == 1)
      #expect(taken.changed == 1)
      #expect(taken.refused.isEmpty)

      let again = try await session.takeFiles(from: [folder])
      #expect(again.files.isEmpty)
      #expect(again.known == 3)

      let app = try #require(taken.files.first)
      let trail = try await store.audit(app.artifact)
      let place = try #require(trail.attachments.first)
      #expect(place.maker.kind == .toolCall)
      #expect(place.callID == "c1")
      #expect(place.reference == "\(folder.path)/app.py")
      #expect(place.prompt?.text == "Make an app and its logo")
      #expect(try await store.verify().findings.isEmpty)
    }
  }

  @Test func `outside of the folders, or behind a link, are never opened`() async throws {
    try await withStore { store, folder in
      let inside = folder.appending(path: "in")
      let outside = folder.appending(path: "out")
      for place in [inside, outside] {
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      }
      try Data("secret".utf8).write(to: outside.appending(path: "key"))
      try FileManager.default.createSymbolicLink(
        at: inside.appending(path: "link"), withDestinationURL: outside.appending(path: "key"))
      let session = try await store.createSession()
      for path in [
        "\(inside.path)/link", "\(inside.path)/../out/key", "../out/key", outside.path + "/key",
      ] {
        let arguments = JSON.object([("file_path", .string(path)), ("content", .string("secret"))])
        let call = Entry.ToolCall(id: path, tool: "Write", arguments: arguments.text)
        try await session.append(.toolCalls([call]))
        try await session.append(.toolOutput(for: call, text: "ok"))
      }
      let taken = try await session.takeFiles(from: [inside])
      #expect(taken.files.isEmpty)
      #expect(taken.refused.map(\.path) == ["\(inside.path)/link"])
      #expect(try await session.attachments().isEmpty)
    }
  }

  @Test func `leave an imported file to be given back to the byte`() async throws {
    try await withStore { store, folder in
      try Self.leave(folder)
      let line = ClaudeCodeReadingTests.assistant(
        "a-1", id: "m-1",
        #"{"type":"tool_use","id":"c1","name":"Write","input":{"file_path":"\#(folder.path)/app.py","content":"print('b')\n"}}"#
      )
      let answer = ClaudeCodeReadingTests.user(
        "u-1", #"[{"tool_use_id":"c1","type":"tool_result","content":"ok"}]"#)
      let bytes = Array("\(line)\n\(answer)\n".utf8)
      let file = folder.appending(path: "s.jsonl")
      try Data(bytes).write(to: file)
      let report = try await store.importFile(at: file)
      let session = try await store.session(try #require(report.sessions.first).id)
      #expect(try await session.takeFiles(from: [folder]).files.count == 1)
      let output = folder.appending(path: "out.jsonl")
      let written = try await session.export(as: "claude-code", to: output)
      #expect([UInt8](try Data(contentsOf: output)) == bytes)
      #expect(written.counts == [.loose: 1])
      #expect(try await store.importFile(at: file).sessions.map(\.added) == [0])
    }
  }

  @Test func `are found by their path, with the calls that name them`() async throws {
    try await withStore { store, folder in
      try Self.leave(folder)
      let session = try await Self.work(in: folder, store)
      let app = try await store.calls(naming: folder.appending(path: "app.py"))
      #expect(app.calls.map(\.tool) == ["Write", "Edit"])
      #expect(app.calls.map(\.basis) == [nil, .inferred])
      #expect(app.calls.map(\.deed) == [.write, .edit])
      #expect(app.calls.allSatisfy { $0.session == session.id && $0.prompt?.position == 0 })
      let logo = try await store.calls(naming: folder.appending(path: "logo.png"))
      #expect(logo.calls.map(\.basis) == [.path])
      // A name alone says little: a file of that name elsewhere, of another time, is another one.
      let other = folder.appending(path: "elsewhere")
      try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
      try Self.put("\u{89}PNG", "logo.png", in: other, at: 90_000)
      #expect(try await store.calls(naming: other.appending(path: "logo.png")).calls.isEmpty)
      let gone = try await store.calls(naming: folder.appending(path: "gone.txt"))
      #expect(gone.calls.map(\.basis) == [nil])
      #expect(try await store.calls(naming: folder.appending(path: "never.txt")).calls.isEmpty)
      #expect(try await store.calls(naming: folder.appending(path: "…")).calls.isEmpty)
      let all = try await session.callsNamingFiles()
      #expect(all.count == 8)
      #expect(all.allSatisfy { $0.basis == nil })
    }
  }
}
