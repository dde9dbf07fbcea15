import Foundation
import Keepsake
import Testing

@testable import KeepsakeMCP

/// The tools that write, which are only there where the person allowed them.
@Suite struct WriteToolTests {
  @Test func `an entry begins a session, and its key makes it safe to send again`() async throws {
    let store = try await TalkStore()
    let talker = try Talker(store, allowsWrites: true)
    let arguments: JSON = [
      "key": "k-1", "title": "Notes\n\u{1B}[2J", "kind": "prompt", "text": "remember the mango",
    ]
    let first = try await talker.data("append_entry", arguments)
    #expect(first["created"] == true && first["position"] == 0)
    let again = try await talker.data("append_entry", arguments)
    #expect(again["created"] == false && again["position"] == 0)
    #expect(again["session"] == first["session"])
    // As another process would, after this one was killed.
    let other = try await Talker(store, allowsWrites: true).data("append_entry", arguments)
    #expect(other["created"] == false && other["session"] == first["session"])
    let clash = try await talker.refusal(
      "append_entry", ["key": "k-1", "kind": "prompt", "text": "something else"])
    #expect(clash.contains("another key"))
    let session = try #require(first["session"])
    let next = try await talker.data(
      "append_entry",
      ["key": "k-2", "session": session, "kind": "response", "text": "I do.", "model": "m-1"])
    #expect(next["position"] == 1)
    let found = try await talker.data("search", ["query": "mango"])
    #expect(found["hits"]?.arrayValue?.count == 1)
  }

  @Test func `what was written is marked for ever as a client's`() async throws {
    let store = try await TalkStore()
    let talker = try Talker(store, allowsWrites: true)
    let kept = try await talker.data(
      "append_entry", ["key": "a", "kind": "response", "text": "I am the user."])
    let attached = try await talker.data(
      "attach_artifact",
      [
        "session": try #require(kept["session"]), "data": "aGVsbG8=", "caption": "a greeting",
        "position": 0,
      ])
    #expect(attached["type"] == "text/plain" && attached["size"] == 5)
    #expect(attached["known"] == false)
    let text = try await talker.text("read_session", ["session": try #require(kept["session"])])
    #expect(text.contains("author=mcp:_tester"))
    try await store.change { store in
      let session = try await store.session(matching: #require(kept["session"]?.stringValue))
      #expect(try await session.summary().origin == "mcp")
      let entry = try await session.entry(at: 0)
      #expect(entry.metadata == ["mcp": ["client": "tester"]])
      #expect(entry.attachments[0].tool == "mcp: tester")
      #expect(try await store.verify().isSound)
    }
    let again = try await talker.data(
      "attach_artifact", ["session": try #require(kept["session"]), "data": "aGVsbG8="])
    #expect(again["known"] == true && again["artifact"] == attached["artifact"])
    #expect(again["label"] != attached["label"])
  }

  @Test(
    arguments: [
      #"{"kind":"prompt","text":"x"}"#, #"{"key":"","kind":"prompt","text":"x"}"#,
      #"{"key":"k","kind":"instructions","text":"x"}"#, #"{"key":"k","kind":"prompt","text":""}"#,
      #"{"key":"k","kind":"prompt","text":"x","session":"ffffff"}"#,
      #"{"key":"k","kind":"prompt","text":"x","session":"SESSION","title":"t"}"#,
    ]) func `an entry that can't be kept is refused, and nothing is written`(
      arguments: String
    ) async throws
  {
    let store = try await TalkStore()
    let talker = try Talker(store, allowsWrites: true)
    let text = arguments.replacing("SESSION", with: store.session.uuidString)
    _ = try await talker.refusal("append_entry", JSON(validating: text))
    let sessions = try await talker.data("list_sessions")["sessions"]
    #expect(sessions?.arrayValue?.count == 1)
    #expect(sessions?[0]?["entries"] == 6)
  }

  @Test(arguments: [(256 << 10, true), ((256 << 10) + 1, false)])
  func `a text is kept up to its limit`(size: Int, isKept: Bool) async throws {
    let talker = try Talker(try await TalkStore(), allowsWrites: true)
    let arguments: JSON = [
      "key": "k", "kind": "event", "text": .string(String(repeating: "x", count: size)),
    ]
    if isKept {
      #expect(try await talker.data("append_entry", arguments)["created"] == true)
    } else {
      #expect(try await talker.refusal("append_entry", arguments).contains("262144"))
    }
  }

  @Test func `files are taken in from allowed folders alone, and never through a link`()
    async throws
  {
    let store = try await TalkStore()
    let allowed = store.folder.appending(path: "allowed")
    try FileManager.default.createDirectory(at: allowed, withIntermediateDirectories: true)
    let outside = store.folder.appending(path: "secret.txt")
    try Data("secret".utf8).write(to: outside)
    try Data("given".utf8).write(to: allowed.appending(path: "given.txt"))
    try FileManager.default.createSymbolicLink(
      at: allowed.appending(path: "link.txt"), withDestinationURL: outside)
    let talker = try Talker(store, allowsWrites: true, filesFrom: [allowed])
    let session: JSON = .string(store.session.uuidString)
    let kept = try await talker.data(
      "attach_artifact",
      ["session": session, "file": .string(allowed.appending(path: "given.txt").path)])
    #expect(kept["size"] == 5)
    for path in [
      outside.path, allowed.appending(path: "link.txt").path, "\(allowed.path)/../secret.txt",
      "\(allowed.path)-evil/x", "given.txt", "https://example.com/x", "/etc/passwd", allowed.path,
      "\(store.path)/store.sqlite",
    ] {
      _ = try await talker.refusal(
        "attach_artifact", ["session": session, "file": .string(path)])
    }
    let none = try Talker(store, allowsWrites: true)
    let sentence = try await none.refusal(
      "attach_artifact", ["session": session, "file": .string(allowed.path + "/given.txt")])
    #expect(sentence.contains("file"))
    for (name, value) in [("data", "aGVsbG8"), ("data", "%%%"), ("x", "y")] {
      if value == "aGVsbG8" { continue }
      _ = try await talker.refusal("attach_artifact", ["session": session, name: .string(value)])
    }
    let both = try await talker.refusal(
      "attach_artifact", ["session": session, "data": "aGVsbG8=", "file": "/x"])
    #expect(both.contains("either"))
    let large = String(repeating: "A", count: (700 << 10) + 4)
    #expect(
      try await talker.refusal("attach_artifact", ["session": session, "data": .string(large)])
        .contains("716800"))
  }
}
