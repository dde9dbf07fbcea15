import Foundation
import Keepsake
import Testing

@testable import KeepsakeMCP

/// `keepsake mcp` as a client starts it: a process of its own, at the ends of two pipes.
@Suite struct ProgramTests {
  private static func request(_ id: Int, _ method: String, _ parameters: String = "") -> String {
    Talker.request(method, parameters, id: "\(id)", era: .modern)
  }

  private static func search(_ id: Int, _ query: String = "banana") -> String {
    request(id, "tools/call", #""name":"search","arguments":{"query":"\#(query)"}"#)
  }

  @Test func `a client of either manner is served, and the end of its input ends the program`()
    async throws
  {
    let store = try await TalkStore()
    let talk = try ProgramTalk(store.path)
    try talk.send(
      #"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
      #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
      #"{"jsonrpc":"2.0","id":"t","method":"tools/list"}"#)
    #expect(try await talk.answer("t")["result"]?["tools"]?.arrayValue?.count == 5)
    try talk.send(Self.search(1))
    #expect(
      try await talk.answer(1)["result"]?["structuredContent"]?["hits"]?.arrayValue?.count == 5)
    try talk.closeInput()
    let end = try await talk.end()
    #expect(end.code == 0)
    #expect(await talk.isPure())
  }

  @Test func `what is asked before the input ends is answered`() async throws {
    let store = try await TalkStore()
    let talk = try ProgramTalk(store.path)
    try talk.send(Self.search(1), Self.search(2), Self.request(3, "resources/list"))
    try talk.send(bytes: Array(Self.request(4, "tools/list").utf8))
    try talk.closeInput()
    let end = try await talk.end()
    #expect(end.code == 0)
    #expect(await talk.isPure())
    #expect(Set(talk.messages.compactMap { $0["id"]?.intValue }) == [1, 2, 3, 4])
  }

  @Test func `two hundred requests at once are each answered once`() async throws {
    let store = try await TalkStore()
    let talk = try ProgramTalk(store.path)
    let lines = (0..<200).map { id in
      id % 3 == 0
        ? Self.search(id) : Self.request(id, id % 3 == 1 ? "resources/list" : "tools/list")
    }
    try talk.send(bytes: Array((lines.joined(separator: "\n") + "\n").utf8))
    let ids = await talk.wait { messages -> [Int64]? in
      messages.count >= 200 ? messages.compactMap { $0["id"]?.intValue } : nil
    }
    #expect(ids?.sorted() == Array(0..<200))
    #expect(talk.messages.allSatisfy { $0["result"] != nil })
    // The line moves, so nobody is told that it is full.
    #expect(talk.messages.allSatisfy { $0["result"]?["isError"] == nil })
    try talk.closeInput()
    #expect(try await talk.end().code == 0)
    #expect(await talk.isPure())
  }

  @Test func `hostile lines are answered one by one, and the talk goes on`() async throws {
    let store = try await TalkStore()
    let talk = try ProgramTalk(store.path)
    try talk.send(bytes: [0xEF, 0xBB, 0xBF] + Array("{}\n".utf8))
    try talk.send(bytes: [0xFF, 0x0A, 0x00, 0x0A, 0x0D, 0x0A, 0x0A])
    try talk.send(String(repeating: "[", count: 10_000))
    try talk.send(bytes: [UInt8](repeating: 0x78, count: 9 << 20) + [0x0A])
    try talk.send("[]", #"{"jsonrpc":"2.0","id":null,"method":"ping"}"#)
    // The server reads a message whose bytes come in a write each.
    for byte in Self.search(1).utf8 { try talk.send(bytes: [byte]) }
    try talk.send(bytes: [0x0D, 0x0A])
    #expect(try await talk.answer(1)["result"]?["isError"] == nil)
    let codes = talk.messages.compactMap(\.errorCode)
    #expect(codes == [-32700, -32700, -32700, -32700, -32600, -32600, -32600])
    #expect(talk.messages.filter { $0.errorCode != nil }.allSatisfy { $0["id"] == nil })
    try talk.closeInput()
    #expect(try await talk.end().code == 0)
    #expect(await talk.isPure())
  }

  @Test func `a client that no longer reads ends the program`() async throws {
    let store = try await TalkStore()
    let talk = try ProgramTalk(store.path, isRead: false)
    try talk.closeOutput()
    // The first write tells of it; the input stays open.
    try? talk.send(Self.request(1, "tools/list"))
    _ = try await talk.end()
  }

  @Test(arguments: [false, true]) func `output that nobody reads does not keep the program`(
    isSignalled: Bool
  ) async throws {
    let store = try await TalkStore()
    let talk = try ProgramTalk(store.path, isRead: false)
    for id in 0..<100 { try talk.send(Self.request(id, "tools/list")) }
    try await Task.sleep(for: .milliseconds(100))
    if isSignalled { talk.signal(SIGTERM) } else { try talk.closeInput() }
    _ = try await talk.end()
  }

  @Test func `a plea to end is heard at once, idle and in the middle of a call`() async throws {
    let store = try await TalkStore()
    for isBusy in [false, true] {
      let talk = try ProgramTalk(store.path)
      try talk.send(Self.request(1, "server/discover"))
      _ = try await talk.answer(1)
      if isBusy { try talk.send(Self.search(2)) }
      talk.signal(SIGTERM)
      _ = try await talk.end()
      #expect(await talk.isPure())
    }
  }

  @Test func `what was answered is kept when the program is killed at once`() async throws {
    let store = try await TalkStore()
    var keys: [String] = []
    for round in 0..<4 {
      let talk = try ProgramTalk(store.path, ["--allow-writes"])
      for number in 0...round {
        let key = "k-\(round)-\(number)"
        try talk.send(
          Self.request(
            number, "tools/call",
            #""name":"append_entry","arguments":{"key":"\#(key)","session":"\#(store.session)","kind":"event","text":"\#(key)"}"#
          ))
        let answer = try await talk.answer(.number(Int64(number)))
        #expect(answer["result"]?["structuredContent"]?["created"] == true, "\(answer)")
        keys.append(key)
      }
      talk.signal(SIGKILL)
      _ = try await talk.end()
    }
    let kept = try await store.change { store in
      try await store.session(store.session(matching: talkID(of: store)).id).entries(last: 100)
        .compactMap(\.key)
    }
    #expect(kept == keys)
    func talkID(of _: Store) -> String { store.session.uuidString }
  }

  @Test func `a store that can't be used is told of by each call, and ends nothing`() async throws {
    let store = try await TalkStore()
    let damaged = store.folder.appending(path: "Damaged.keepsake")
    try FileManager.default.createDirectory(at: damaged, withIntermediateDirectories: true)
    for name in ["artifacts", "incoming"] {
      try FileManager.default.createDirectory(
        at: damaged.appending(path: name), withIntermediateDirectories: true)
    }
    try Data(repeating: 7, count: 8192).write(to: damaged.appending(path: "store.sqlite"))
    let missing = store.folder.appending(path: "Missing.keepsake")
    for path in [missing.path, damaged.path, "/etc"] {
      for options in [[], ["--allow-writes"]] {
        let talk = try ProgramTalk(path, options)
        try talk.send(
          Self.request(1, "tools/list"), Self.search(2), Self.request(3, "resources/list"))
        #expect(try await talk.answer(1)["result"] != nil)
        let called = try await talk.answer(2)
        #expect(called["result"]?["isError"] == true, "\(path) \(called)")
        let listed = try await talk.answer(3)
        #expect(listed.errorCode == -32603)
        #expect(listed["error"]?["message"]?.stringValue?.contains(path) == false)
        try talk.closeInput()
        #expect(try await talk.end().code == 0)
        #expect(await talk.isPure())
      }
      #expect(!FileManager.default.fileExists(atPath: missing.path))
    }
  }

  @Test func `a store that comes to be later is found by the next call`() async throws {
    let store = try await TalkStore()
    let later = store.folder.appending(path: "Later.keepsake")
    let talk = try ProgramTalk(later.path)
    try talk.send(Self.search(1))
    #expect(try await talk.answer(1)["result"]?["isError"] == true)
    try FileManager.default.copyItem(at: URL(filePath: store.path), to: later)
    try talk.send(Self.search(2))
    #expect(
      try await talk.answer(2)["result"]?["structuredContent"]?["hits"]?.arrayValue?.count == 5)
    try talk.closeInput()
    #expect(try await talk.end().code == 0)
  }

  @Test func `a store that was taken away, or replaced, is never answered from`() async throws {
    let store = try await TalkStore()
    let talk = try ProgramTalk(store.path)
    try talk.send(Self.search(1))
    #expect(
      try await talk.answer(1)["result"]?["structuredContent"]?["hits"]?.arrayValue?.count == 5)
    let away = store.folder.appending(path: "Away.keepsake")
    try FileManager.default.moveItem(at: URL(filePath: store.path), to: away)
    try talk.send(Self.search(2))
    #expect(try await talk.answer(2)["result"]?["isError"] == true)
    try await store.change { _ = try await $0.createSession(title: "Another") }
    try talk.send(Self.search(3))
    #expect(try await talk.answer(3)["result"]?["structuredContent"]?["hits"] == [])
    try talk.closeInput()
    #expect(try await talk.end().code == 0)
  }

  @Test func `tools that write are neither listed nor called without the flag`() async throws {
    let store = try await TalkStore()
    for options in [[], ["--allow-writes", "--read-only"]] {
      let talk = try ProgramTalk(store.path, options)
      try talk.send(
        Self.request(1, "tools/list"),
        Self.request(
          2, "tools/call",
          #""name":"append_entry","arguments":{"key":"k","kind":"event","text":"x"}"#))
      #expect(try await talk.answer(1)["result"]?["tools"]?.arrayValue?.count == 5)
      #expect(try await talk.answer(2).errorCode == -32602)
    }
  }

  @Test func `pings and cancellations overtake slow calls`() async throws {
    let store = try await TalkStore()
    try await store.change { store in
      let session = try await store.createSession(title: "Many")
      for _ in 0..<40 { try await session.append((0..<500).map { .prompt("word w\($0)") }) }
    }
    let talk = try ProgramTalk(store.path)
    // None of these entries is indexed for a reader, so a search reads all of them.
    for id in 1...20 { try talk.send(Self.search(id, "nothing-\(id)")) }
    try talk.send(#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#)
    for id in 3...20 {
      try talk.send(
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(id)}}"#)
    }
    _ = try await talk.answer("p")
    _ = try await talk.answer(1)
    _ = try await talk.answer(2)
    try talk.send(Self.request(99, "tools/list"))
    _ = try await talk.answer(99)
    try talk.closeInput()
    #expect(try await talk.end().code == 0)
    #expect(await talk.isPure())
    // Some may have been answered before they were cancelled, but not all eighteen, and none twice.
    let ids = talk.messages.compactMap { $0["id"]?.intValue }
    #expect(Set(ids).count == ids.count)
    #expect(ids.count < 21)
    let place = talk.messages.firstIndex { $0["id"] == "p" } ?? .max
    #expect(place < talk.messages.count - 3)
  }
}
