import Foundation
import KeepsakeTestSupport
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("Going back in Claude Code")
struct ClaudeCodeRewindTests {
  private static let format = "claude-code"

  /// A question and its answer.
  private static func turn(
    _ name: String, in talk: inout Talk, after parent: String?? = .none
  ) {
    talk.user("\"\(name)?\"", after: parent)
    talk.model(Talk.text("\(name)!"), id: "m-\(name)-\(talk.lines.count)")
  }

  /// The last line of the first of two turns, and the talk.
  private static func talk() -> (talk: Talk, first: String?) {
    var talk = Talk()
    turn("one", in: &talk)
    let first = talk.last
    turn("two", in: &talk)
    return (talk, first)
  }

  @Test func `leaves what stands between out of what a model is given`() async throws {
    var (talk, first) = Self.talk()
    Self.turn("three", in: &talk, after: first)
    try await Rewound.with(talk.text, as: Self.format) { rewound async throws in
      #expect(
        try await rewound.all
          == ["one?", "one!", "two?", "two!", "back to 1", "three?", "three!"])
      #expect(try await rewound.live == ["one?", "one!", "three?", "three!"])
      let event = try await rewound.session.entry(at: 4)
      #expect(event.visibility == .person && event.kind == .event && event.tags == ["rewind"])
      #expect(event.created != nil && event.lane == nil)
      #expect(event.text == Entry.wentBack)
      let keys = try await rewound.session.entries.all().map(\.key)
      #expect(keys == ["u-1", "u-2", "u-3", "u-4", "u-5#back", "u-5", "u-6"])
    }
  }

  @Test func `twice, into a branch that was left, and to before the first prompt`() async throws {
    var (talk, first) = Self.talk()
    let second = talk.last
    Self.turn("three", in: &talk, after: first)
    Self.turn("four", in: &talk, after: first)
    Self.turn("five", in: &talk, after: second)
    Self.turn("six", in: &talk, after: .some(nil))
    try await Rewound.with(talk.text, as: Self.format) { rewound async throws in
      #expect(
        try await rewound.all == [
          "one?", "one!", "two?", "two!", "back to 1", "three?", "three!", "back to 1", "four?",
          "four!", "back to 3", "five?", "five!", "back to -1", "six?", "six!",
        ])
      #expect(try await rewound.live == ["six?", "six!"])
      #expect(try await rewound.live(before: 10) == ["one?", "one!", "four?", "four!"])
      #expect(
        try await rewound.live(before: 13) == ["one?", "one!", "two?", "two!", "five?", "five!"])
    }
    try await Rewound.expectSameByLines(talk.lines, as: Self.format)
  }

  @Test func `in what came later finds its place in what was taken in before`() async throws {
    var (talk, first) = Self.talk()
    try await Rewound.with(talk.text, as: Self.format, isGivenBack: false) { rewound async throws in
      // An app added something of its own meanwhile: positions are others than the file's.
      try await rewound.session.append(.event("The app was opened."))
      Self.turn("three", in: &talk, after: first)
      #expect(try await rewound.grow(to: talk.text, as: Self.format) == 3)
      let third = talk.last
      Self.turn("four", in: &talk, after: first)
      #expect(try await rewound.grow(to: talk.text, as: Self.format) == 3)
      Self.turn("five", in: &talk, after: third)
      #expect(try await rewound.grow(to: talk.text, as: Self.format) == 3)
      #expect(
        try await rewound.all == [
          "one?", "one!", "two?", "two!", "The app was opened.", "back to 1", "three?", "three!",
          "back to 1", "four?", "four!", "back to 7", "five?", "five!",
        ])
      #expect(try await rewound.live == ["one?", "one!", "three?", "three!", "five?", "five!"])
    }
  }

  @Test func `is found where a file is taken into a fork, by the positions there`() async throws {
    let (talk, first) = Self.talk()
    try await Rewound.with(talk.text, as: Self.format) { rewound async throws in
      // Cut short and gone on with, the file is a fork; what it goes back to is shared.
      var other = Talk()
      Self.turn("one", in: &other)
      Self.turn("two", in: &other)
      other.user("\"more?\"")
      Self.turn("three", in: &other, after: first)
      let lines = talk.lines[..<3] + other.lines[4...]
      try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: rewound.file)
      let report = try await rewound.store.importFile(at: rewound.file, format: Self.format)
      let fork = try await rewound.store.session(#require(report.sessions.first?.id))
      #expect(try await fork.summary().forkOf == rewound.session.id)
      #expect(
        try await fork.entries.all().map(Rewound.word)
          == ["one?", "one!", "two?", "more?", "back to 1", "three?", "three!"])
      #expect(try await fork.resume().entries.map(\.text) == ["one?", "one!", "three?", "three!"])
      try Data(talk.text.utf8).write(to: rewound.file)
    }
  }

  // MARK: - What is not going back

  /// The talks, each with the lines that name another one than the newest before them.
  private static let straight: [(name: String, talk: Talk)] = [
    ("calls that ran side by side", sideBySide),
    ("calls whose results come before the next call", resumedMessage),
    ("what stands beside messages", beside),
    ("a sub-agent in the same file", aside),
    ("a compacted conversation", compacted),
    ("lines that are written again", repeated),
    ("lines whose parent is gone", broken),
    ("lines that name none", unlinked),
  ]

  private static var sideBySide: Talk {
    var talk = Talk()
    talk.user("\"go\"")
    let first = talk.model(Talk.call("c-1"), id: "m-1")
    let second = talk.model(Talk.call("c-2"), id: "m-1")
    let third = talk.model(Talk.call("c-3"), id: "m-1", after: first)
    talk.user("[\(Talk.result("c-1"))]", after: first)
    talk.user("[\(Talk.result("c-3")),\(Talk.text("and this"))]", after: third)
    let result = talk.user("[\(Talk.result("c-2"))]", after: second)
    talk.model(Talk.text("done"), id: "m-2", after: result)
    let call = talk.model(Talk.call("c-4"), id: "m-3")
    let other = talk.model(Talk.call("c-5"), id: "m-3")
    let early = talk.user("[\(Talk.result("c-5"))]", after: other)
    talk.user("[\(Talk.result("c-4"))]", after: call)
    // The model goes on behind the result that came first.
    talk.model(Talk.text("all done"), id: "m-4", after: early)
    return talk
  }

  private static var resumedMessage: Talk {
    var talk = Talk()
    talk.user("\"go\"")
    let first = talk.model(Talk.call("c-1"), id: "m-1")
    talk.user("[\(Talk.result("c-1"))]")
    talk.model(Talk.call("c-2"), id: "m-1", after: first)
    talk.user("[\(Talk.result("c-2"))]")
    talk.model(Talk.text("done"), id: "m-2")
    return talk
  }

  private static var beside: Talk {
    var talk = Talk()
    let hook = talk.add("attachment", #""attachment":{"type":"hook_success","content":"ok"}"#)
    let prompt = talk.user("\"go\"", after: hook)
    talk.add(
      "attachment",
      #""attachment":{"type":"file","filename":"a.txt","content":{"type":"text","file":{"content":"a"}}}"#
    )
    let call = talk.model(Talk.call("c-1"), id: "m-1", after: prompt)
    talk.add("progress", #""data":{"type":"bash_progress","output":"…"}"#)
    talk.add("progress", #""data":{"type":"bash_progress","output":"……"}"#, after: call)
    talk.user("[\(Talk.result("c-1"))]", after: call)
    let answer = talk.model(Talk.text("done"), id: "m-2")
    talk.add("system", #""subtype":"stop_hook_summary","content":"hooks ran""#)
    talk.add("system", #""subtype":"informational","content":"tip""#, after: answer)
    let meta = talk.add(
      "user", #""isMeta":true,"message":{"role":"user","content":"Caveat: local commands"}"#,
      after: answer)
    talk.add("system", #""subtype":"late","content":"late""#, after: prompt)
    talk.user("\"next\"", after: answer)
    talk.add("system", #""subtype":"informational","content":"other""#, after: meta)
    talk.model(Talk.text("yes"), id: "m-3", after: "u-13")
    return talk
  }

  private static var aside: Talk {
    var talk = Talk()
    talk.user("\"go\"")
    let call = talk.model(Talk.call("c-1", "Task"), id: "m-1")
    let lines = talk.lines.count
    talk.user("\"sub\"", after: .some(nil))
    talk.model(Talk.text("sub!"), id: "m-9")
    var whole = Talk()
    for (index, line) in talk.lines.enumerated() {
      whole.raw(
        index < lines
          ? line
          : line.replacing(#""isSidechain":false"#, with: #""isSidechain":true,"agentId":"x""#))
    }
    talk.user("[\(Talk.result("c-1"))]", after: call)
    talk.model(Talk.text("done"), id: "m-2")
    for line in talk.lines.suffix(2) { whole.raw(line) }
    return whole
  }

  private static var compacted: Talk {
    var talk = Talk()
    turn("one", in: &talk)
    let last = talk.last ?? ""
    talk.add(
      "system",
      #""subtype":"compact_boundary","content":"Conversation compacted","logicalParentUuid":"\#(last)""#,
      after: .some(nil))
    talk.add(
      "user", #""isCompactSummary":true,"message":{"role":"user","content":"We said one."}"#)
    turn("two", in: &talk)
    // Older versions name nothing before the summary, and newer ones may go on behind what was kept.
    talk.add(
      "user", #""isCompactSummary":true,"message":{"role":"user","content":"We said two."}"#,
      after: .some(nil))
    turn("three", in: &talk, after: "u-6")
    return talk
  }

  private static var repeated: Talk {
    var talk = Talk()
    turn("one", in: &talk)
    turn("two", in: &talk)
    for line in talk.lines { talk.raw(line) }
    turn("three", in: &talk)
    return talk
  }

  private static var broken: Talk {
    var talk = Talk()
    turn("one", in: &talk)
    turn("two", in: &talk, after: "nobody")
    return talk
  }

  private static var unlinked: Talk {
    var talk = Talk()
    for name in ["one", "two", "three"] {
      talk.user("\"\(name)?\"", after: .some(nil))
      talk.model(Talk.text("\(name)!"), id: "m-\(name)", after: .some(nil))
    }
    return talk
  }

  @Test(arguments: straight.map(\.name))
  func `is not seen where nobody went back`(name: String) async throws {
    let talk = try #require(Self.straight.first { $0.name == name }?.talk)
    try await Rewound.with(talk.text, as: Self.format) { rewound async throws in
      #expect(try await rewound.session.entries.all().allSatisfy { $0.continuesAfter == nil })
      let notes = try await rewound.session.resume().notes
      #expect(!notes.contains { $0.reason == .takenBack })
    }
  }

  // MARK: - The same way as rescue goes

  /// A conversation with turns, calls that run side by side, and a person that goes back, by a seed.
  private static func random(_ seed: UInt64) -> Talk {
    var random = SeededGenerator(seed: seed)
    var talk = Talk()
    var ends: [String?] = [nil]
    turn("0", in: &talk)
    ends.append(talk.last)
    for number in 1...Int.random(in: 2...9, using: &random) {
      let goesBack = Int.random(in: 0..<3, using: &random) == 0
      let end = ends[Int.random(in: ends.indices, using: &random)]
      talk.user("\"\(number)?\"", after: goesBack ? .some(end) : .none)
      if Int.random(in: 0..<6, using: &random) == 0 { continue }
      let calls = Int.random(in: 0...3, using: &random)
      var lines: [(String, id: String)] = []
      for call in 0..<calls {
        let id = "c-\(number)-\(call)"
        lines.append((talk.model(Talk.call(id), id: "m-\(number)"), id))
      }
      for (line, id) in lines.shuffled(using: &random) {
        talk.user("[\(Talk.result(id, "\"\(id)\""))]", after: line)
      }
      if Bool.random(using: &random) {
        talk.add("system", #""subtype":"informational","content":"tip""#)
      }
      talk.model(Talk.text("\(number)!"), id: "n-\(number)")
      ends.append(talk.last)
    }
    return talk
  }

  @Test(arguments: UInt64(0)..<60)
  func `leaves live what the program would send`(seed: UInt64) async throws {
    let talk = Self.random(seed)
    let file = ForeignFile(Array(talk.text.utf8), name: "session.jsonl")
    var conversation = try ClaudeCodeConversation(file)
    var sent: Set<String> = []
    for line in try conversation.sent() {
      if let uuid = conversation.facts[line]?.uuid { sent.insert(uuid) }
    }
    try await Rewound.with(talk.text, as: Self.format) { rewound async throws in
      let live = try await rewound.session.resume().entries.compactMap(\.key)
      let said = try await rewound.session.entries.all().filter { $0.kind != .event }
        .compactMap(\.key)
      #expect(Set(live) == sent.intersection(said), "\(talk.text)")
    }
  }
}
