#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One record of a session: what somebody said, asked, called, or got back.
///
/// The same type is appended and read. The store assigns `position`, `turn` and `attachments`; everything else is
/// yours and comes back as it was given.
public struct Entry: Sendable, Hashable, Identifiable {
  /// Its own identifier: the same from draft to entry, and across export and import.
  public var id: UUID
  public var kind: Kind
  public var status: Status
  public var visibility: Visibility
  /// When it came to be; the store keeps microseconds. Nil where nobody said, as in transcripts without times.
  public var created: Date?
  /// The content, piece by piece.
  public var segments: [Segment]
  /// The tools that a `toolCalls` entry asks for.
  public var toolCalls: [ToolCall]
  /// Of a tool output: the id of the call that it answers.
  public var callID: String?
  /// Of a tool output: the tool's name.
  public var tool: String?

  /// Where it stands in its session: 0, 1, 2 …; nil until it is stored. Positions never move.
  public internal(set) var position: Int?
  /// The turn that it belongs to, counted from 1; nil until it is stored, and before the first prompt.
  public internal(set) var turn: Int?
  /// Whether its content was erased. It keeps its place; there is nothing of it to be read any more.
  public internal(set) var isErased = false
  /// What hangs on it, in the order of recording.
  public internal(set) var attachments: [Attachment]

  /// What most entries do not have, out of line so that an entry stays cheap to pass around.
  var rare: Box<Rare>?

  /// Makes an entry to be appended.
  public init(
    _ kind: Kind, segments: [Segment] = [], toolCalls: [ToolCall] = [], id: UUID = Entry.newID(),
    created: Date? = Date()
  ) {
    self.id = id
    self.kind = kind
    self.status = .complete
    self.visibility = .everyone
    self.created = created
    self.segments = segments
    self.toolCalls = toolCalls
    self.attachments = []
  }

  /// The text of its segments, joined by line breaks.
  public var text: String {
    if segments.count == 1, case .text(let text) = segments[0].content { return text }
    return segments.compactMap(\.text).joined(separator: "\n")
  }
}

extension Entry {
  /// What an entry is.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    case instructions, prompt, reasoning, toolCalls, toolOutput, response
    /// Something that happened beside the conversation: a routing decision, an app's own status line.
    case event
    /// A foreign entry of a kind that its codec does not know; its content is kept as opaque segments.
    case unknown
  }

  /// Whether an entry came to its end.
  public enum Status: String, Sendable, Hashable, Codable, CaseIterable {
    case complete, failed, cancelled
    /// The process that wrote it ended in the middle.
    case interrupted
    /// Another attempt took its place.
    case superseded
  }

  /// Who may see an entry.
  public enum Visibility: String, Sendable, Hashable, Codable, CaseIterable {
    case everyone
    /// The person, and no model: an app's own status line.
    case person
    /// The model, and not the person: a note about an image that it cannot see.
    case model
  }
}

// MARK: - Making entries

extension Entry {
  /// What the model is told to be.
  public static func instructions(_ text: String) -> Entry {
    Entry(.instructions, segments: [.text(text)])
  }

  /// What a person, or an app for them, asks.
  public static func prompt(_ text: String) -> Entry {
    Entry(.prompt, segments: [.text(text)])
  }

  /// What the model thinks before it answers.
  public static func reasoning(_ text: String) -> Entry {
    Entry(.reasoning, segments: [.text(text)])
  }

  /// The tools that the model asks for, which may run at the same time.
  public static func toolCalls(_ calls: [ToolCall]) -> Entry {
    Entry(.toolCalls, toolCalls: calls)
  }

  /// What a tool answered. A call may have no output, one, or several.
  public static func toolOutput(for call: ToolCall, text: String) -> Entry {
    toolOutput(callID: call.id, tool: call.tool, segments: [.text(text)])
  }

  /// What a tool answered, to a call that is known by its id.
  public static func toolOutput(callID: String?, tool: String?, segments: [Segment]) -> Entry {
    var entry = Entry(.toolOutput, segments: segments)
    entry.callID = callID
    entry.tool = tool
    return entry
  }

  /// What the model answers.
  public static func response(_ text: String) -> Entry {
    Entry(.response, segments: [.text(text)])
  }

  /// Something that happened beside the conversation.
  public static func event(_ text: String) -> Entry {
    Entry(.event, segments: [.text(text)])
  }

  /// The person went back: the conversation goes on after an earlier position, and what stands between is taken back.
  /// - Parameters:
  ///   - position: Where the conversation goes on; -1 for its beginning.
  ///   - text: What is said of it to a person. No model sees it.
  public static func goingBack(to position: Int, _ text: String = wentBack) -> Entry {
    var entry = event(text)
    entry.visibility = .person
    entry.continuesAfter = position
    return entry
  }

  /// What is said where a conversation went back and nobody said it otherwise.
  public static let wentBack = "The conversation went back."
}
