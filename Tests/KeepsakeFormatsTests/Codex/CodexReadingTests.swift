import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("Codex rollouts are read")
struct CodexReadingTests {
  /// Imports a rollout that must be kept whole, and gives its session.
  func session(
    _ rollout: Rollout, _ store: Store, _ folder: URL,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> (session: Session, report: ImportReport) {
    let report = try await store.importing(rollout.bytes, in: folder)
    let session = try await store.session(
      #require(report.sessions.first, sourceLocation: sourceLocation).id)
    #expect(try session.replayedRollout() == rollout.bytes, sourceLocation: sourceLocation)
    let findings = try await store.verify(.init(readData: true)).findings
    #expect(findings.isEmpty, sourceLocation: sourceLocation)
    return (session, report)
  }

  @Test func `a session becomes entries, and the file comes back to the byte`() async throws {
    var rollout = Rollout(id: "019f86c9-2b8a-7651-bff3-79039535009a")
    rollout.message("developer", "<permissions instructions>Ask first.")
    rollout.message("user", #"# AGENTS.md instructions for /home/alice/work\n\nBe brief."#)
    rollout.message("user", #"<environment_context>\n<cwd>/home/alice/work</cwd>"#)
    rollout.message("user", "Draw a <banana>.")
    rollout.event(#"{"type":"user_message","message":"Draw a <banana>.","images":[]}"#)
    rollout.item(
      #"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"**Fruit**"}],"content":null,"encrypted_content":"gAAA"}"#
    )
    rollout.event(#"{"type":"agent_message","message":"I will.","phase":"commentary"}"#)
    rollout.message("assistant", "I will.", #","id":"msg_1","phase":"commentary""#)
    rollout.message("assistant", "I did.", #","id":"msg_1","phase":"final_answer""#)
    rollout.add("world_state", #"{"full":true,"state":{}}"#)
    rollout.event(#"{"type":"task_complete","last_agent_message":"I did."}"#)
    try await withStore { store, folder in
      let (session, report) = try await session(rollout, store, folder)
      #expect(report.skipped.isEmpty)
      let entries = try await session.entries.all()
      #expect(
        entries.map(\.kind) == [
          .instructions, .instructions, .prompt, .prompt, .prompt, .reasoning, .response, .response,
        ])
      #expect(
        entries.map(\.visibility) == [
          .model, .model, .model, .model, .everyone, .everyone, .everyone, .everyone,
        ])
      #expect(entries[0].text == "You are Codex.")
      #expect(entries[0].metadata?["codex"]?["cwd"]?.stringValue == "/home/alice/work")
      #expect(entries[5].text == "**Fruit**")
      #expect(
        entries[5].segments.last?.content
          == .opaque(.string("gAAA"), type: "codex.encrypted_content"))
      #expect(
        entries[6].metadata == .object([("codex", .object([("phase", .string("commentary"))]))]))
      #expect(entries.map(\.key) == [nil, nil, nil, nil, nil, "rs_1", "msg_1", nil])
      #expect(entries[7].model == "gpt-5.2-codex")
      #expect(entries[4].model == nil)
      #expect(entries[6].created == Date(microseconds: 1_784_672_769_250_000))
      let summary = try await session.summary()
      #expect(summary.title == nil)
      #expect(summary.preview == "Draw a <banana>.")
      #expect(try rollout.facts.id == "019f86c9-2b8a-7651-bff3-79039535009a")
      #expect(summary.origin == "codex")
    }
  }

  @Test func `calls and outputs find one another, whatever their kind`() async throws {
    var rollout = Rollout(id: "s1")
    rollout.message("user", "Look around.")
    rollout.item(
      #"{"type":"function_call","name":"shell","arguments":"{\"command\": [\"ls\"]}","call_id":"c1"}"#
    )
    rollout.item(
      #"{"type":"custom_tool_call","id":"ctc_1","status":"completed","call_id":"c2","name":"apply_patch","input":"*** Begin Patch\n\"é\""}"#
    )
    rollout.item(
      #"{"type":"custom_tool_call_output","call_id":"c2","output":[{"type":"input_text","text":"Done"},{"type":"input_text","text":"{}"}]}"#
    )
    rollout.item(#"{"type":"function_call_output","call_id":"c1","output":"notes.md\n"}"#)
    rollout.item(
      #"{"type":"local_shell_call","call_id":"c3","status":"completed","action":{"type":"exec","command":["pwd"]}}"#
    )
    rollout.item(#"{"type":"local_shell_call_output","id":"c3","output":"{\"exit_code\":0}"}"#)
    rollout.item(
      #"{"type":"web_search_call","status":"completed","action":{"type":"search","query":"bananas"}}"#
    )
    rollout.item(#"{"type":"tool_search_call","call_id":"c4","execution":"client","limit":3}"#)
    rollout.item(#"{"type":"tool_search_output","call_id":"c4","tools":[{"name":"draw"}]}"#)
    rollout.item(
      #"{"type":"function_call_output","call_id":"nobody","output":{"content":"old","success":true}}"#
    )
    try await withStore { store, folder in
      let (session, report) = try await session(rollout, store, folder)
      #expect(report.skipped.isEmpty)
      let entries = try await session.entries.all()
      let calls = entries.flatMap(\.toolCalls)
      #expect(calls.map(\.id) == ["c1", "c2", "c3", "call_1", "c4"])
      #expect(
        calls.map(\.tool) == ["shell", "apply_patch", "local_shell", "web_search", "tool_search"])
      #expect(
        calls.map(\.arguments) == [
          #"{"command": ["ls"]}"#, "*** Begin Patch\n\"é\"",
          #"{"type":"exec","command":["pwd"]}"#, #"{"type":"search","query":"bananas"}"#,
          #"{"execution":"client","limit":3}"#,
        ])
      let outputs = entries.filter { $0.kind == .toolOutput }
      #expect(outputs.map(\.callID) == ["c2", "c1", "c3", "c4", "nobody"])
      #expect(
        outputs.map(\.tool) == ["apply_patch", "shell", "local_shell", "tool_search", nil])
      #expect(outputs[0].text == "Done\n{}")
      #expect(outputs[1].text == "notes.md\n")
      #expect(
        outputs[3].segments == [
          .structure(try JSON(validating: #"{"tools":[{"name":"draw"}]}"#))
        ])
      #expect(outputs[4].text == "old")
      #expect(entries.first { $0.kind == .toolCalls }?.model == "gpt-5.2-codex")
      #expect(entries.compactMap(\.key) == ["ctc_1", "c3"])
    }
  }

  @Test func `an image that comes many times is one artifact, made by its call`() async throws {
    let base64 = Rollout.base64(1)
    var rollout = Rollout(id: "s1")
    rollout.message("user", "Draw a banana.")
    rollout.event(
      #"{"type":"image_generation_end","call_id":"ig_1","status":"completed","revised_prompt":"a banana","result":"\#(base64)","saved_path":"/home/alice/.codex/generated_images/s1/ig_1.png"}"#
    )
    rollout.item(
      #"{"type":"image_generation_call","id":"ig_1","status":"completed","revised_prompt":"a banana","result":"\#(base64)","output_format":"png"}"#
    )
    rollout.item(
      #"{"type":"function_call","name":"view_image","arguments":"{}","call_id":"c1"}"#)
    rollout.item(
      #"{"type":"function_call_output","call_id":"c1","output":[{"type":"input_image","image_url":"data:image/png;base64,\#(base64)"}]}"#
    )
    rollout.add(
      "compacted",
      #"{"message":"They like fruit.","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,\#(base64)"}]},{"result":"\#(base64)","id":"ig_1","type":"image_generation_call"}]}"#
    )
    rollout.event(
      #"{"type":"mcp_tool_call_end","result":{"Ok":{"content":[{"type":"image","data":"\#(base64)","mimeType":"image/png"}]}}}"#
    )
    try await withStore { store, folder in
      let (session, report) = try await session(rollout, store, folder)
      #expect(report.skipped.isEmpty)
      #expect(report.artifacts.new == 1)
      #expect(report.artifacts.bytes == Int64(Rollout.image(1).count))
      let artifacts = try await store.artifacts().artifacts
      #expect(artifacts.count == 1)
      let attachments = try await session.attachments()
      #expect(attachments.map(\.callID) == ["ig_1", "c1"])
      #expect(attachments.map(\.tool) == ["image_generation", "view_image"])
      #expect(attachments.map(\.direction) == [.made, .made])
      #expect(attachments.map(\.mediaType?.description) == ["image/png", "image/png"])
      #expect(try await attachments[0].data() == Rollout.image(1))
      // All six stretches of base64 are cut out of what is kept of the file.
      #expect(try CodexCodec.records(rollout.bytes).flatMap(\.spans).count == 6)
      let entries = try await session.entries.all()
      #expect(entries[2].toolCalls.map(\.arguments).first?.contains("a banana") == true)
      #expect(entries[2].key == "ig_1")
      #expect(entries.last?.kind == .event)
      #expect(entries.last?.visibility == .model)
      #expect(entries.last?.text == "Conversation compacted.\nThey like fruit.")
    }
  }

  @Test func `what a person gives is the person's, near and far`() async throws {
    let base64 = Rollout.base64(2)
    var rollout = Rollout(id: "s1")
    rollout.item(
      #"{"type":"message","role":"user","content":[{"type":"input_text","text":"Like these:"},{"type":"input_image","image_url":"data:image/png;base64,\#(base64)","detail":"high"},{"type":"input_image","image_url":"https://example.org/a.png"},{"type":"input_image","file_id":"file-1"}]}"#
    )
    rollout.event(
      #"{"type":"user_message","message":"Like these:","images":["data:image/png;base64,\#(base64)"],"local_images":[]}"#
    )
    try await withStore { store, folder in
      let (session, report) = try await session(rollout, store, folder)
      #expect(report.skipped.isEmpty)
      #expect(try await store.artifacts().artifacts.count == 1)
      let prompt = try #require(try await session.entries.all().last)
      #expect(prompt.kind == .prompt)
      #expect(prompt.visibility == .everyone)
      #expect(prompt.attachments.map(\.state) == [.present, .remote, .remote])
      #expect(prompt.attachments.map(\.maker) == [.user, .user, .user])
      #expect(
        prompt.attachments.map(\.reference) == [nil, "https://example.org/a.png", "file-1"])
      #expect(
        prompt.metadata?["codex"]?["content"]?["1"] == ["detail": "high"])
    }
  }

  @Test func `tokens are the difference of sums, and a sum that is repeated adds none`()
    async throws
  {
    var rollout = Rollout(id: "s1")
    rollout.message("user", "Hi.")
    rollout.message("assistant", "Hello.")
    rollout.event(#"{"type":"token_count","info":null,"rate_limits":{}}"#)
    rollout.tokens([100, 60, 20, 5], last: [100, 60, 20, 5])
    rollout.tokens([100, 60, 20, 5], last: [100, 60, 20, 5])
    rollout.add("turn_context", #"{"model":"gpt-6"}"#)
    rollout.message("assistant", "Hello again.")
    // The total grew by two answers, and the report tells only the newer of them.
    rollout.tokens([350, 160, 60, 15], last: [150, 50, 20, 5])
    // The total is smaller than before, so the program has begun to count anew.
    rollout.tokens([30, 0, 10, 0], last: [30, 0, 10, 0])
    try await withStore { store, folder in
      let (session, report) = try await session(rollout, store, folder)
      #expect(report.skipped.isEmpty)
      let events = try await session.entries.all().filter { $0.kind == .event }
      #expect(events.map(\.usage?.input) == [100, 250, 30])
      #expect(events.map(\.usage?.cachedInput) == [60, 100, 0])
      #expect(events.map(\.usage?.output) == [20, 40, 10])
      #expect(events.map(\.usage?.reasoning) == [5, 10, 0])
      #expect(events.map(\.model) == ["gpt-5.2-codex", "gpt-6", "gpt-6"])
      #expect(events.allSatisfy { $0.visibility == .person && $0.segments.isEmpty })
      #expect(events[1].usage?.source?["input_tokens"]?.intValue == 350)
      let total = try await session.usage()
      #expect(total.input == 380)
      #expect(total.output == 70)
    }
  }

  @Test func `a file that continues another does not count the tokens of that`() throws {
    var rollout = Rollout()
    rollout.add("session_meta", #"{"id":"s2","history_base":{"thread_id":"s1"}}"#)
    rollout.tokens([1000, 0, 200, 0], last: [100, 0, 20, 0])
    rollout.tokens([1150, 0, 230, 0], last: [150, 0, 30, 0])
    let entries = try CodexCodec.records(rollout.bytes).flatMap(\.entries)
    #expect(entries.map(\.entry.usage?.input) == [100, 150])
  }

  @Test func `what went wrong is said to the person`() throws {
    var rollout = Rollout(id: "s1")
    rollout.event(#"{"type":"error","message":"Quota exceeded.","codex_error_info":null}"#)
    rollout.event(#"{"type":"stream_error","message":"Reconnecting 1/5"}"#)
    rollout.event(#"{"type":"warning","message":"Long threads cost more."}"#)
    rollout.event(#"{"type":"turn_aborted","turn_id":"t","reason":"interrupted"}"#)
    rollout.event(#"{"type":"thread_rolled_back","num_turns":2}"#)
    rollout.event(#"{"type":"exec_command_end","call_id":"c","stdout":"x"}"#)
    rollout.event(#"{"type":"new_in_the_future","message":"x"}"#)
    let entries = try CodexCodec.records(rollout.bytes).flatMap(\.entries).dropFirst()
    #expect(
      entries.map(\.entry.text) == [
        "Quota exceeded.", "Reconnecting 1/5", "Long threads cost more.",
        "The turn was aborted: interrupted.",
        "The last of the conversation was taken back (turns: 2).",
      ])
    #expect(entries.allSatisfy { $0.entry.kind == .event && $0.entry.visibility == .person })
  }

  @Test(arguments: [
    "<environment_context>\\n  <cwd>/home/bob</cwd>", "<user_instructions>\\nBe kind.",
    "\\n# AGENTS.md instructions for /home/bob", "<turn_aborted>\\nThe user interrupted",
    "<permissions instructions>", "<skills_instructions>", "<skill>\\n<name>draw</name>",
    "<ENVIRONMENT_CONTEXT>",
  ])
  func `what Codex itself puts into a prompt is for the model alone`(text: String) throws {
    var rollout = Rollout()
    rollout.message("user", text)
    rollout.message("user", "Say: " + text)
    let entries = try CodexCodec.records(rollout.bytes).flatMap(\.entries)
    #expect(entries.map(\.entry.kind) == [.prompt, .prompt])
    #expect(entries.map(\.entry.visibility) == [.model, .everyone])
  }
}

// MARK: - Files that grow, fork, or are old

extension CodexReadingTests {
  @Test func `a file that grows adds its new entries, and the same file none`() async throws {
    var rollout = Rollout(id: "s1")
    rollout.message("user", "Draw a banana.")
    rollout.tokens([100, 0, 20, 0], last: [100, 0, 20, 0])
    try await withStore { store, folder in
      let (first, _) = try await session(rollout, store, folder)
      rollout.item(
        #"{"type":"image_generation_call","id":"ig_1","status":"completed","result":"\#(Rollout.base64(3))"}"#
      )
      rollout.event(#"{"type":"agent_message","message":"There."}"#)
      rollout.message("assistant", "There.")
      let (second, report) = try await session(rollout, store, folder)
      #expect(second.id == first.id)
      #expect(report.sessions.map(\.new) == [false])
      #expect(report.sessions.map(\.added) == [3])
      #expect(report.sessions.map(\.revised) == [0])
      let again = try await store.importing(rollout.bytes, in: folder)
      #expect(again.sessions.map(\.id) == [first.id])
      #expect(again.sessions.map(\.added) == [0])
      #expect(try await first.count() == 6)
    }
  }

  @Test func `a last line that is cut off is read when it is whole`() async throws {
    var rollout = Rollout(id: "s1")
    rollout.message("user", "Draw a banana.")
    var torn = rollout
    rollout.message("assistant", "I will draw it.")
    torn.raw(String(rollout.lines[rollout.lines.count - 1].prefix(80)))
    let cut = Array(torn.text.dropLast().utf8)
    try await withStore { store, folder in
      let first = try await store.importing(cut, in: folder)
      #expect(first.sessions.map(\.entries) == [2])
      #expect(first.skipped.map(\.line) == [4])
      #expect(first.skipped.first?.reason.contains("ends early") == true)
      let stored = try await store.session(#require(first.sessions.first).id)
      #expect(try stored.replayedRollout() == cut)
      let (grown, report) = try await session(rollout, store, folder)
      #expect(grown.id == stored.id)
      #expect(report.sessions.map(\.added) == [1])
      #expect(report.skipped.isEmpty)
    }
  }

  @Test func `a damaged line in the middle is kept, and so is what stands around it`()
    async throws
  {
    var rollout = Rollout(id: "s1")
    rollout.message("user", "Draw a banana.")
    rollout.raw(#"{"timestamp":"2026-07-21T22:27:00Z","type":"response_item","payload":{"ty"#)
    rollout.raw("\0\0\0\0")
    rollout.raw("[1]")
    rollout.raw(#"{"type":"response_item","payload":7}"#)
    rollout.message("assistant", "I will.")
    rollout.message("assistant", "I will.")
    rollout.raw(rollout.lines[2] + rollout.lines[2])
    try await withStore { store, folder in
      let (session, report) = try await session(rollout, store, folder)
      #expect(report.skipped.map(\.line) == [4, 6, 7])
      #expect(
        try await session.entries.all().map(\.text) == [
          "You are Codex.", "Draw a banana.", "I will.", "I will.", "Draw a banana.",
          "Draw a banana.",
        ])
    }
  }

  @Test func `of a fork's headers the first counts`() async throws {
    var rollout = Rollout(id: "child")
    rollout.add("session_meta", #"{"id":"parent","base_instructions":{"text":"Other."}}"#)
    rollout.message("user", "Hi.")
    try await withStore { store, folder in
      var parent = Rollout(id: "parent")
      parent.message("user", "Hi.")
      let (first, _) = try await session(parent, store, folder)
      let (second, report) = try await session(rollout, store, folder)
      #expect(first.id != second.id)
      #expect(report.sessions.map(\.new) == [true])
      #expect(try rollout.facts.id == "child")
      #expect(try await second.entries.all().map(\.text) == ["You are Codex.", "Hi."])
    }
  }

  @Test func `files of older versions, with bare items, are read as well`() async throws {
    var rollout = Rollout()
    rollout.raw(
      #"{"id":"5973b6c0-94b8-487b-a530-2aeb6098ae0e","timestamp":"2025-05-07T17:24:21.123Z","instructions":"Be brief.","git":null}"#
    )
    rollout.raw(#"{"record_type":"state"}"#)
    rollout.raw(
      #"{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"Hi."}]}"#)
    rollout.raw(
      #"{"type":"function_call","name":"shell","arguments":"{}","call_id":"c1"}"#)
    rollout.raw(
      #"{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"x\"}"}"#)
    try await withStore { store, folder in
      let (session, report) = try await session(rollout, store, folder)
      #expect(report.sessions.map(\.format) == ["codex"])
      #expect(report.skipped.isEmpty)
      let entries = try await session.entries.all()
      #expect(entries.map(\.kind) == [.instructions, .prompt, .toolCalls, .toolOutput])
      #expect(entries[0].created == Date(microseconds: 1_746_638_661_123_000))
      #expect(entries[1].created == nil)
      #expect(try rollout.facts.id == "5973b6c0-94b8-487b-a530-2aeb6098ae0e")
    }
  }

  @Test(
    .enabled(
      if: FileManager.default.fileExists(
        atPath: Fixtures.samples.appending(path: "codex-rollout").path),
      "The recordings in ../shared/samples are not here."))
  func `recordings are read, and come back to the byte`() async throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: Fixtures.samples.appending(path: "codex-rollout"), includingPropertiesForKeys: nil)
    for file in files {
      try await withStore { store, _ in
        let report = try await store.importFile(at: file)
        #expect(report.skipped.isEmpty, "\(report.skipped)")
        let session = try await store.session(#require(report.sessions.first).id)
        #expect(try session.replayedRollout() == [UInt8](Data(contentsOf: file)))
        let entries = try await session.entries.all()
        #expect(!entries.contains { $0.kind == .unknown })
        #expect(entries.contains { $0.usage != nil })
        #expect(try await store.verify(.init(readData: true)).findings.isEmpty)
        #expect(try await store.importFile(at: file).sessions.map(\.added) == [0])
      }
    }
  }
}
