import Foundation
import Keepsake

/// What an app asks of a language model. Here it is played by a script: these examples show what is kept, not what a
/// model says.
protocol Model: Sendable {
  func next(_ conversation: [Entry]) async throws -> ModelStep
}

enum ModelStep: Sendable {
  case calls([Entry.ToolCall])
  case answer(String)
}

/// Says its lines one after the other, whatever it is asked.
actor ScriptedModel: Model {
  private var lines: [@Sendable ([Entry]) throws -> ModelStep]

  init(_ lines: [@Sendable ([Entry]) throws -> ModelStep]) { self.lines = lines.reversed() }

  func next(_ conversation: [Entry]) async throws -> ModelStep {
    guard let line = lines.popLast() else { return .answer("…") }
    return try line(conversation)
  }
}

/// A tool gets its arguments and the run that keeps what it makes, and returns text, as tools do.
typealias Tool = @Sendable (_ arguments: JSON, _ run: ToolRun) async throws -> String

/// One run of a tool.
struct ToolRun: Sendable {
  let session: Session
  let invocation: Invocation

  /// Keeps an image at once, and gives the label that the model can repeat.
  func keep(_ data: Data, named name: String, caption: String, from reference: String? = nil)
    async throws -> Entry.Attachment
  {
    var new = Entry.NewAttachment(
      .data(data), fileName: name, caption: caption, madeBy: .invocation(invocation))
    new.reference = reference
    return try await session.attach(new)
  }
}

extension Session {
  /// A turn of a conversation: the prompt, whatever tools the model asks for, all at once, and its answer.
  ///
  /// Here the tools run first, and what was called is recorded afterwards, as where a framework runs them by itself.
  func converse(_ prompt: String, with model: some Model, tools: [String: Tool]) async throws {
    let turn = try await openTurn()
    try await append(.prompt(prompt))
    do {
      while true {
        switch try await model.next(entries.all()) {
        case .calls(let calls):
          let outputs = try await withThrowingTaskGroup(of: (String, String).self) { group in
            for call in calls {
              group.addTask { (call.id, try await self.run(call, with: tools[call.tool])) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
          }
          // Each run, and what it made, belongs to the call whose output says what the run returned.
          try await append(
            [.toolCalls(calls)] + calls.map { .toolOutput(for: $0, text: outputs[$0.id] ?? "") })
          try await describeImages(of: turn)
        case .answer(let text):
          try await append(.response(text))
          try await close(turn, .answered)
          return
        }
      }
    } catch {
      try await close(turn, .failed, detail: "\(error)")
      throw error
    }
  }

  /// Tells a model that sees no images of them. The person does not see that prompt, and the turn goes on with it.
  private func describeImages(of turn: Turn) async throws {
    let made = try await entries(ofTurn: turn.number).flatMap(\.attachments)
    if made.isEmpty { return }
    let list = made.map { "\($0.label): \($0.caption ?? "an image")" }.joined(separator: "; ")
    var note = Entry.prompt("You can't see the images. Show them by their labels. \(list)")
    note.visibility = .model
    try await append(note)
  }

  private func run(_ call: Entry.ToolCall, with tool: Tool?) async throws -> String {
    let invocation = try await begin(.tool, call.tool, .init(arguments: call.arguments))
    do {
      guard let tool else { throw Missing(tool: call.tool) }
      let output = try await tool(
        JSON(validating: call.arguments), ToolRun(session: self, invocation: invocation))
      try await end(invocation, .finished, output: output)
      return output
    } catch {
      // What it made until then is kept, and hangs on its run.
      let output = #"{"error": "\#(error)"}"#
      try await end(invocation, .failed, output: output, detail: "\(error)")
      return output
    }
  }

  private struct Missing: Error, CustomStringConvertible {
    let tool: String
    var description: String { "there is no tool called \(tool)" }
  }
}
