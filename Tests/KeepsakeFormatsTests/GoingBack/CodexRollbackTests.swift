import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("Going back in Codex")
struct CodexRollbackTests {
  private static let format = "codex"

  private static func turn(_ name: String, in rollout: inout Rollout) {
    rollout.message("user", "\(name)?")
    rollout.item(
      #"{"type":"function_call","name":"exec_command","arguments":"{}","call_id":"c-\#(name)"}"#)
    rollout.item(#"{"type":"function_call_output","call_id":"c-\#(name)","output":"\#(name)"}"#)
    rollout.message("assistant", "\(name)!")
  }

  private static func back(_ turns: String, in rollout: inout Rollout) {
    rollout.event(#"{"type":"thread_rolled_back","num_turns":\#(turns)}"#)
  }

  /// Two turns behind what the program tells the model.
  private static func rollout() -> Rollout {
    var rollout = Rollout(id: "0199-a")
    rollout.message("user", "<environment_context>\\n  <cwd>/home/alice</cwd>")
    turn("one", in: &rollout)
    turn("two", in: &rollout)
    return rollout
  }

  private static let head = ["You are Codex.", "<environment_context>\n  <cwd>/home/alice</cwd>"]

  private static func said(_ names: String...) -> [String] {
    names.flatMap { ["\($0)?", "call c-\($0)", $0, "\($0)!"] }
  }

  @Test func `leaves the last turns out of what a model is given`() async throws {
    var rollout = Self.rollout()
    Self.back("1", in: &rollout)
    Self.turn("three", in: &rollout)
    try await Rewound.with(rollout.text, as: Self.format) { rewound async throws in
      #expect(
        try await rewound.all
          == Self.head + Self.said("one", "two") + ["back to 5"] + Self.said("three"))
      #expect(try await rewound.live == Self.head + Self.said("one", "three"))
      let event = try await rewound.session.entry(at: 10)
      #expect(event.text == "The last of the conversation was taken back (turns: 1).")
      #expect(event.visibility == .person && event.kind == .event)
    }
  }

  @Test func `counts the turns that are still there`() async throws {
    var rollout = Self.rollout()
    Self.turn("three", in: &rollout)
    Self.back("2", in: &rollout)
    Self.turn("four", in: &rollout)
    Self.back("2", in: &rollout)
    Self.turn("five", in: &rollout)
    try await Rewound.with(rollout.text, as: Self.format) { rewound async throws in
      #expect(
        try await rewound.all.filter { $0.hasPrefix("back") } == ["back to 5", "back to 1"])
      #expect(try await rewound.live == Self.head + Self.said("five"))
    }
    try await Rewound.expectSameByLines(rollout.lines, as: Self.format)
  }

  @Test(arguments: ["2", "9", "9223372036854775807"])
  func `before the first prompt what the program told the model stays`(turns: String) async throws {
    var rollout = Self.rollout()
    Self.back(turns, in: &rollout)
    try await Rewound.with(rollout.text, as: Self.format) { rewound async throws in
      #expect(try await rewound.all.last == "back to 1")
      #expect(try await rewound.live == Self.head)
    }
  }

  @Test(arguments: ["0", "-1", "1.5", "null", #""1""#])
  func `by a number that is none takes nothing back`(turns: String) async throws {
    var rollout = Self.rollout()
    Self.back(turns, in: &rollout)
    try await Rewound.with(rollout.text, as: Self.format) { rewound async throws in
      #expect(try await rewound.session.entries.all().last?.continuesAfter == nil)
      #expect(try await rewound.live == Self.head + Self.said("one", "two"))
    }
  }

  @Test func `in what came later finds its place in what was taken in before`() async throws {
    var rollout = Self.rollout()
    try await Rewound.with(rollout.text, as: Self.format, isGivenBack: false) {
      rewound async throws in
      try await rewound.session.append(.event("The app was opened."))
      Self.back("1", in: &rollout)
      #expect(try await rewound.grow(to: rollout.text, as: Self.format) == 1)
      Self.turn("three", in: &rollout)
      #expect(try await rewound.grow(to: rollout.text, as: Self.format) == 4)
      Self.back("1", in: &rollout)
      #expect(try await rewound.grow(to: rollout.text, as: Self.format) == 1)
      Self.turn("four", in: &rollout)
      #expect(try await rewound.grow(to: rollout.text, as: Self.format) == 4)
      // Before the prompt stands the event that went back to the end of the first turn.
      #expect(
        try await rewound.all.filter { $0.hasPrefix("back") } == ["back to 5", "back to 11"])
      #expect(try await rewound.live == Self.head + Self.said("one", "four"))
    }
  }
}
