import Foundation
import Keepsake
import Testing

@testable import KeepsakeFormats

/// Exports of ChatGPT and Claude.ai: what a person saw last is the session, and what they left is a fork.
@Suite("Exports with branches")
struct ConversationTreeTests {
  private static let png = Data(base64Encoded: WireFixtures.image) ?? Data()

  private func chat(
    _ id: String, _ parent: String?, _ role: String, _ content: String, _ others: String = ""
  )
    -> String
  {
    let parent = parent.map { "\"\($0)\"" } ?? "null"
    return
      #""\#(id)":{"id":"\#(id)","parent":\#(parent),"children":[],"message":{"id":"\#(id)","author":{"role":"\#(role)"},"create_time":1700000000.5,"content":\#(content)\#(others)}}"#
  }

  private func text(_ text: String) -> String {
    #"{"content_type":"text","parts":["\#(text)"]}"#
  }

  private func conversation(_ id: String, current: String, _ nodes: [String]) -> String {
    #"{"title":"Fruit","conversation_id":"\#(id)","current_node":"\#(current)","default_model_slug":"gpt-x","mapping":{"root":{"id":"root","message":null,"parent":null,"children":[]},\#(nodes.joined(separator: ","))}}"#
  }

  /// A prompt that was answered twice.
  private var branched: [String] {
    [
      chat("u1", "root", "user", text("a banana?")), chat("a1", "u1", "assistant", text("first")),
      chat("a2", "u1", "assistant", text("second")), chat("u2", "a2", "user", text("more")),
    ]
  }

  private func texts(_ session: Session) async throws -> [String] {
    try await session.entries.all().map(\.text)
  }

  @Test func `each branch is a session, and what they share is kept once`() async throws {
    try await withStore { store, folder in
      let file = Array("[\(conversation("c-1", current: "u2", branched))]".utf8)
      let report = try await store.importing(file, in: folder)
      #expect(report.sessions.count == 2)
      let main = try await store.session(report.sessions[0].id)
      #expect(try await texts(main) == ["a banana?", "second", "more"])
      #expect(try await main.summary().title == "Fruit")
      let fork = try #require(try await main.forks().first)
      #expect(try await texts(store.session(fork.id)) == ["a banana?", "first"])
      #expect(fork.forkPosition == 1)
      #expect(try await main.entries.all()[1].model == "gpt-x")
      #expect(
        try await main.entries.all()[0].created == Date(timeIntervalSince1970: 1_700_000_000.5))
      let again = try await store.importing(file, in: folder)
      #expect(again.sessions.map(\.added) == [0])
      #expect(again.sessions.map(\.id) == [main.id])
      #expect(try await store.sessions().sessions.count == 2)
      #expect(try await store.verify().findings == [])
    }
  }

  @Test func `a branch that ends with messages that say nothing does not hide the one beside it`()
    async throws
  {
    let empty = #"{"content_type":"text","parts":[""]}"#
    // Both branches leave the main one at its second message, or share nothing with it.
    for (parent, kept) in [("u1", ["a banana?", "third", "and?"]), ("root", ["third", "and?"])] {
      let nodes =
        branched + [
          chat("u3", parent, "user", text("third")), chat("a3", "u3", "assistant", empty),
          chat("a4", "u3", "assistant", text("and?")),
        ]
      try await withStore { store, folder in
        let file = Array("[\(conversation("c-1", current: "u2", nodes))]".utf8)
        for _ in 0..<2 {
          _ = try await store.importing(file, in: folder)
          var found: Set<[String]> = []
          for summary in try await store.sessions().sessions {
            found.insert(try await texts(store.session(summary.id)))
          }
          #expect(found == [["a banana?", "second", "more"], ["a banana?", "first"], kept])
          #expect(try await store.sessions().sessions.count == 3)
        }
        #expect(try await store.verify().findings == [])
      }
    }
  }

  @Test func `branches that grow go on where they are, whichever a person saw last`() async throws {
    try await withStore { store, folder in
      let first = try await store.importing(
        Array("[\(conversation("c-1", current: "u2", branched))]".utf8), in: folder)
      let main = try await store.session(first.sessions[0].id)
      // The person went back to the first answer, and went on there and elsewhere.
      let grown =
        branched + [
          chat("u3", "a1", "user", text("and then?")), chat("a3", "u3", "assistant", text("third")),
          chat("a4", "u2", "assistant", text("fourth")),
          chat("a5", "u2", "assistant", text("fifth")),
        ]
      let file = Array("[\(conversation("c-1", current: "a3", grown))]".utf8)
      let report = try await store.importing(file, in: folder)
      #expect(report.sessions.map(\.added).reduce(0, +) == 4)
      #expect(try await store.sessions().sessions.count == 3)
      #expect(try await texts(main).prefix(3) == ["a banana?", "second", "more"])
      let all = try await store.sessions().sessions
      var told: Set<[String]> = []
      for one in all { told.insert(try await texts(store.session(one.id))) }
      #expect(
        told == [
          ["a banana?", "second", "more", "fifth"], ["a banana?", "second", "more", "fourth"],
          ["a banana?", "first", "and then?", "third"],
        ])
      #expect(
        try await store.importing(file, in: folder).sessions.map(\.added).allSatisfy { $0 == 0 })
    }
  }

  @Test func `quirk 8: parents that are missing or go in circles lose nothing`() async throws {
    try await withStore { store, folder in
      let nodes = [
        chat("a", "nobody", "user", text("one")), chat("b", "c", "user", text("two")),
        chat("c", "b", "assistant", text("three")), chat("d", "d", "user", text("four")),
      ]
      let file = Array("[\(conversation("c-1", current: "d", nodes))]".utf8)
      #expect(try await store.importing(file, in: folder).skipped.isEmpty)
      var told: Set<String> = []
      for one in try await store.sessions().sessions {
        for text in try await texts(store.session(one.id)) { told.insert(text) }
      }
      #expect(told == ["one", "two", "three", "four"])
    }
  }

  @Test func `images lie with the export, by their ids, and what drew them is found by its place`()
    async throws
  {
    try await withStore { store, folder in
      let export = folder.appending(path: "export")
      try FileManager.default.createDirectory(
        at: export.appending(path: "dalle-generations"), withIntermediateDirectories: true)
      try Self.png.write(to: export.appending(path: "file-abc-photo.png"))
      try Self.png.write(to: export.appending(path: "dalle-generations/file_00ff.dat"))
      try Data("secret".utf8).write(to: folder.appending(path: "file-out.png"))
      func pointer(_ place: String) -> String {
        #"{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"\#(place)","metadata":{"dalle":{"gen_id":"g"}}}]}"#
      }
      let nodes = [
        chat(
          "u", "root", "user", pointer("file-service://file-abc"),
          #","metadata":{"attachments":[{"id":"file-abc","name":"photo.png"},{"id":"file-gone","name":"a.pdf","mime_type":"application/pdf"}]}"#
        ),
        chat(
          "c", "u", "assistant", #"{"content_type":"code","text":"{\"prompt\":\"a cup\"}"}"#,
          #","recipient":"t2uay3k.sj1i4kz""#),
        chat("t", "c", "tool", pointer("sediment://file_00ff#p_0")),
        chat("x", "t", "tool", pointer("file-service://../file-out.png")),
      ]
      let file = export.appending(path: "conversations.json")
      try Data("[\(conversation("c-1", current: "x", nodes))]".utf8).write(to: file)
      let report = try await store.importFile(at: file)
      #expect(report.artifacts.new == 1)
      let entries = try await store.session(report.sessions[0].id).entries.all()
      #expect(entries.map(\.kind) == [.prompt, .toolCalls, .toolOutput, .toolOutput])
      #expect(entries[0].attachments.map(\.state) == [.present, .missing])
      #expect(entries[0].attachments.map(\.fileName) == ["file-abc-photo.png", nil])
      let drawn = try #require(entries[2].attachments.first)
      #expect(drawn.basis == .position)
      #expect(drawn.artifact?.id == entries[0].attachments[0].artifact?.id)
      let trail = try await store.audit(try #require(drawn.artifact?.id))
      #expect(trail.attachments.contains { $0.tool == "t2uay3k.sj1i4kz" })
      #expect(entries[2].callID == entries[1].toolCalls[0].id)
      #expect(entries[1].toolCalls[0].arguments == #"{"prompt":"a cup"}"#)
      // A pointer names a file that lies with the export, and no path.
      #expect(entries[3].attachments.map(\.state) == [.missing])
    }
  }

  @Test func `one conversation that is damaged does not stop the others`() async throws {
    try await withStore { store, folder in
      let file =
        "[{\"id\":\"c-0\",\"title\":\"Gone\"},\(conversation("c-1", current: "u2", branched))]"
      let report = try await store.importing(Array(file.utf8), in: folder)
      #expect(report.skipped.map(\.line) == [1])
      #expect(report.sessions.count == 2)
    }
  }

  @Test func `hidden messages are the model's, and thoughts are reasoning`() async throws {
    try await withStore { store, folder in
      let nodes = [
        chat(
          "s", "root", "user",
          #"{"content_type":"user_editable_context","user_profile":"A cook.","user_instructions":"Be brief."}"#
        ),
        chat("u", "s", "user", text("hi")),
        chat(
          "t", "u", "assistant",
          #"{"content_type":"thoughts","thoughts":[{"summary":"Greeting","content":"They say hi."}]}"#
        ),
        chat("h", "t", "user", text("a note"), #","weight":0"#),
        chat("a", "h", "assistant", text("hello"), #","metadata":{"model_slug":"o-9"}"#),
      ]
      let report = try await store.importing(
        Array(conversation("c-1", current: "a", nodes).utf8), in: folder)
      let entries = try await store.session(report.sessions[0].id).entries.all()
      #expect(entries.map(\.kind) == [.instructions, .prompt, .reasoning, .prompt, .response])
      #expect(entries.map(\.visibility) == [.model, .everyone, .everyone, .model, .everyone])
      #expect(entries[4].model == "o-9")
      #expect(try await store.sessions().sessions[0].preview == "hi")
    }
  }

  @Test func `Claude: results without ids answer the calls before them, and files are named`()
    async throws
  {
    let text = """
      [{"uuid":"c-1","name":"Fruit","chat_messages":[
        {"uuid":"m1","sender":"human","created_at":"2026-01-02T03:04:05.678901Z","text":"see","content":[{"type":"text","text":"see"}],
         "attachments":[{"file_name":"a.txt","extracted_content":"a list"}],"files":[{"file_uuid":"f-1","file_name":"photo.png"}]},
        {"uuid":"m2","sender":"assistant","created_at":"2026-01-02T03:04:06Z","content":[
         {"type":"thinking","thinking":"hm","signature":"c2ln"},
         {"type":"tool_use","id":null,"name":"repl","input":{"n":1}},
         {"type":"tool_result","tool_use_id":null,"name":"repl","content":[{"type":"text","text":"1"}]},
         {"type":"text","text":"one"}]},
        {"uuid":"m3","sender":"human","text":"only text","content":[]}]}]
      """
    try await withStore { store, folder in
      let report = try await store.importing(Array(text.utf8), in: folder)
      let session = try await store.session(report.sessions[0].id)
      let entries = try await session.entries.all()
      #expect(
        entries.map(\.kind) == [
          .prompt, .prompt, .reasoning, .toolCalls, .toolOutput, .response, .prompt,
        ])
      #expect(entries[0].attachments.map(\.state) == [.missing])
      #expect(entries[0].text == "see")
      #expect(entries[1].visibility == .model)
      #expect(entries[4].callID == entries[3].toolCalls[0].id)
      #expect(entries[6].text == "only text")
      #expect(entries[0].created?.timeIntervalSince1970 == 1_767_323_045.678901)
      let file = folder.appending(path: "out.json")
      try await session.export(as: "claude-ai", to: file)
      let out = String(decoding: try Data(contentsOf: file), as: UTF8.self)
      // The session's conversation, to the byte, as it stood in the list.
      #expect(text == "[\(out)]")
    }
  }

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: Fixtures.samples.path),
      "The recordings in ../shared/samples are not here."),
    arguments: ["chatgpt-export/conversations_modern.json", "claude-ai/conversation_detail.json"])
  func `recordings come in, and a second time they add nothing`(path: String) async throws {
    try await withStore { store, _ in
      let file = Fixtures.samples.appending(path: path)
      let report = try await store.importFile(at: file)
      #expect(report.sessions.count == 2)
      let count = try await store.sessions().sessions.count
      let again = try await store.importFile(at: file)
      #expect(again.sessions.allSatisfy { $0.added == 0 && !$0.new })
      #expect(try await store.sessions().sessions.count == count)
      #expect(try await store.verify().findings == [])
    }
  }
}
