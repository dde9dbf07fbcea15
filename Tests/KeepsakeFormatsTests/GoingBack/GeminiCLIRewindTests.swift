import Foundation
import KeepsakeTestSupport
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("Going back in Gemini CLI")
struct GeminiCLIRewindTests {
  private static let format = "gemini-cli"

  private static func user(_ name: String) -> String {
    GeminiCLIReadingTests.message("user", "u-\(name)", #""content":[{"text":"\#(name)?"}]"#)
  }

  private static func answer(_ name: String) -> String {
    GeminiCLIReadingTests.message(
      "gemini", "m-\(name)", #""content":"\#(name)!","model":"gemini-x""#)
  }

  private static func back(_ id: String) -> String { #"{"$rewindTo":"\#(id)"}"# }

  private static func turn(_ name: String) -> [String] { [user(name), answer(name)] }

  private static var talk: [String] {
    [GeminiCLIReadingTests.header] + turn("one") + turn("two")
  }

  private static func text(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

  @Test func `leaves the message and all later ones out of what a model is given`() async throws {
    let lines = Self.talk + [Self.back("u-two")] + Self.turn("three")
    try await Rewound.with(Self.text(lines), as: Self.format) { rewound async throws in
      #expect(
        try await rewound.all
          == ["one?", "one!", "two?", "two!", "back to 1", "three?", "three!"])
      #expect(try await rewound.live == ["one?", "one!", "three?", "three!"])
      #expect(try await rewound.session.entry(at: 4).tags == ["rewind"])
    }
  }

  @Test func `twice, and to before the first prompt`() async throws {
    let lines =
      Self.talk + [Self.back("u-two")] + Self.turn("three") + [Self.back("u-three")]
      + Self.turn("four") + [Self.back("u-one")] + Self.turn("five")
    try await Rewound.with(Self.text(lines), as: Self.format) { rewound async throws in
      #expect(
        try await rewound.all.filter { $0.hasPrefix("back") }
          == ["back to 1", "back to 4", "back to -1"])
      #expect(try await rewound.live == ["five?", "five!"])
      #expect(try await rewound.live(before: 10) == ["one?", "one!", "four?", "four!"])
    }
    try await Rewound.expectSameByLines(lines, as: Self.format)
  }

  @Test func `to a message that is not there, as one that was taken back, is to the beginning`()
    async throws
  {
    let lines =
      Self.talk + [Self.back("u-two")] + Self.turn("three") + [Self.back("u-two")]
      + Self.turn("four")
    try await Rewound.with(Self.text(lines), as: Self.format) { rewound async throws in
      #expect(
        try await rewound.all.filter { $0.hasPrefix("back") } == ["back to 1", "back to -1"])
      #expect(try await rewound.live == ["four?", "four!"])
    }
  }

  @Test func `a message that comes again after it was taken back is said again`() async throws {
    let lines = Self.talk + [Self.back("u-two")] + Self.turn("two")
    try await Rewound.with(Self.text(lines), as: Self.format) { rewound async throws in
      #expect(
        try await rewound.all
          == ["one?", "one!", "two?", "two!", "back to 1", "two?", "two!"])
      #expect(try await rewound.live == ["one?", "one!", "two?", "two!"])
      #expect(
        try await rewound.session.entries.all().map(\.key)
          == ["u-one", "m-one", "u-two", "m-two", nil, "u-two#2", "m-two#2"])
    }
  }

  @Test func `messages that are set without the last ones take those back`() async throws {
    let kept = Self.turn("one").joined(separator: ",")
    let info = GeminiCLIReadingTests.message("info", "i-1", #""content":"hint""#)
    func set(_ messages: String) -> String { #"{"$set":{"messages":[\#(messages)]}}"# }
    let lines = Self.talk + [set(kept)] + Self.turn("three")
    try await Rewound.with(Self.text(lines), as: Self.format) { rewound async throws in
      #expect(
        try await rewound.all
          == ["one?", "one!", "two?", "two!", "back to 1", "three?", "three!"])
      #expect(try await rewound.live == ["one?", "one!", "three?", "three!"])
    }
    // What the program noted for itself may be missing, and something else may stand for what was said.
    let all = (Self.turn("one") + Self.turn("two")).joined(separator: ",")
    let summary = Self.user("summary") + "," + Self.answer("two")
    for messages in [all, summary] {
      let lines = Self.talk + [info, set(messages)] + Self.turn("three")
      try await Rewound.with(Self.text(lines), as: Self.format) { rewound async throws in
        #expect(try await rewound.session.entries.all().allSatisfy { $0.continuesAfter == nil })
      }
    }
  }

  @Test func `in what came later finds its place in what was taken in before`() async throws {
    var lines = Self.talk
    try await Rewound.with(Self.text(lines), as: Self.format, isGivenBack: false) {
      rewound async throws in
      try await rewound.session.append(.event("The app was opened."))
      lines.append(Self.back("u-two"))
      #expect(try await rewound.grow(to: Self.text(lines), as: Self.format) == 1)
      lines += Self.turn("three")
      #expect(try await rewound.grow(to: Self.text(lines), as: Self.format) == 2)
      lines += [Self.back("u-three")] + Self.turn("four")
      #expect(try await rewound.grow(to: Self.text(lines), as: Self.format) == 3)
      #expect(
        try await rewound.all.filter { $0.hasPrefix("back") } == ["back to 1", "back to 5"])
      #expect(try await rewound.live == ["one?", "one!", "four?", "four!"])
    }
  }

  /// The same messages as rescue finds when it replays the file.
  @Test(arguments: UInt64(0)..<40)
  func `leaves live what the program would send`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    var lines = Self.talk
    var ids = ["u-one", "u-two"]
    for number in 0..<Int.random(in: 2...9, using: &random) {
      if Int.random(in: 0..<3, using: &random) == 0 {
        lines.append(Self.back(ids[Int.random(in: ids.indices, using: &random)]))
      }
      lines += Self.turn("\(number)")
      ids.append("u-\(number)")
    }
    let text = Self.text(lines)
    let file = ForeignFile(Array(text.utf8), name: "session.jsonl")
    let sent = try GeminiCLIConversation(file).messages().compactMap(\.id)
    try await Rewound.with(text, as: Self.format) { rewound async throws in
      #expect(try await rewound.session.resume().entries.compactMap(\.key) == sent, "\(text)")
    }
  }
}
