#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A record of a session: what somebody said, asked, called, or got back.
///
/// Entries are appended and read as the same type. The store assigns `position`, `turn` and `attachments`; every other value
/// comes back as the caller gave it.
public struct Entry: Sendable, Hashable, Identifiable {
  /// The entry's own id, which is the same from draft to entry, and across export and import.
  public var id: UUID
  /// The kind of record.
  public var kind: Kind
  /// The status, which tells whether the entry was finished.
  public var status: Status
  /// Who may see the entry.
  public var visibility: Visibility
  /// The time at which the entry was made, kept in microseconds; nil where nobody said, as in transcripts without times.
  public var created: Date?
  /// The content, piece by piece.
  public var segments: [Segment]
  /// The tool calls of a `toolCalls` entry.
  public var toolCalls: [ToolCall]
  /// The id of the tool call that a `toolOutput` entry answers.
  public var callID: String?
  /// The name of the tool that gave a `toolOutput` entry.
  public var tool: String?

  /// The entry's place in its session: 0, 1, 2 …; nil until it is stored. Positions never change.
  public internal(set) var position: Int?
  /// The turn of the entry, counted from 1; nil until it is stored, and before the first prompt.
  public internal(set) var turn: Int?
  /// Tells whether the content was erased; the entry keeps its position, without anything to read.
  public internal(set) var isErased = false
  /// The attachments of the entry, in the order of recording.
  public internal(set) var attachments: [Attachment]

  /// The values that most entries do not have, out of line so that passing an entry on stays cheap.
  var rare: Box<Rare>?

  /// Creates an entry to be appended.
  ///
  /// - Parameters:
  ///   - kind: The kind of record.
  ///   - segments: The content, piece by piece.
  ///   - toolCalls: The tool calls of a `toolCalls` entry.
  ///   - id: The entry's own id; a new one by default.
  ///   - created: The time at which the entry was made; nil where it is not known.
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

  /// The text of all text segments, joined by line breaks.
  public var text: String {
    if segments.count == 1, case .text(let text) = segments[0].content { return text }
    return segments.compactMap(\.text).joined(separator: "\n")
  }
}

extension Entry {
  /// The kinds of entries.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// Instructions for the model, a prompt, reasoning, tool calls, the output of a tool, or a response.
    case instructions, prompt, reasoning, toolCalls, toolOutput, response
    /// Something that happened beside the conversation, such as a routing decision or an app's status line.
    case event
    /// A foreign entry of a kind that the codec does not know; the content is kept as opaque segments.
    case unknown
  }

  /// The ways in which an entry ended.
  public enum Status: String, Sendable, Hashable, Codable, CaseIterable {
    /// The entry was completed, failed, or was cancelled.
    case complete, failed, cancelled
    /// The process that wrote the entry ended before the entry was finished.
    case interrupted
    /// Another attempt took the entry's place.
    case superseded
  }

  /// The groups that may see an entry.
  public enum Visibility: String, Sendable, Hashable, Codable, CaseIterable {
    /// The person and the model.
    case everyone
    /// The person only, as for an app's status line.
    case person
    /// The model only, as for a note about an image that the model cannot see.
    case model
  }
}

// MARK: - Making entries

extension Entry {
  /// Creates an entry that tells the model its rules and its role.
  public static func instructions(_ text: String) -> Entry {
    Entry(.instructions, segments: [.text(text)])
  }

  /// Creates an entry with a question or request of a person, or of an app for them.
  public static func prompt(_ text: String) -> Entry {
    Entry(.prompt, segments: [.text(text)])
  }

  /// Creates an entry with the model's thoughts before its answer.
  public static func reasoning(_ text: String) -> Entry {
    Entry(.reasoning, segments: [.text(text)])
  }

  /// Creates an entry with the tool calls that the model asks for, which may run at the same time.
  public static func toolCalls(_ calls: [ToolCall]) -> Entry {
    Entry(.toolCalls, toolCalls: calls)
  }

  /// Creates an entry with the output of a tool call; a call may have no output, one, or several.
  public static func toolOutput(for call: ToolCall, text: String) -> Entry {
    toolOutput(callID: call.id, tool: call.tool, segments: [.text(text)])
  }

  /// Creates an entry with the output of a tool call that is known by its id.
  public static func toolOutput(callID: String?, tool: String?, segments: [Segment]) -> Entry {
    var entry = Entry(.toolOutput, segments: segments)
    entry.callID = callID
    entry.tool = tool
    return entry
  }

  /// Creates an entry with the model's answer.
  public static func response(_ text: String) -> Entry {
    Entry(.response, segments: [.text(text)])
  }

  /// Creates an entry for something that happened beside the conversation.
  public static func event(_ text: String) -> Entry {
    Entry(.event, segments: [.text(text)])
  }

  /// Creates an event with which the conversation goes back: it goes on after an earlier position.
  ///
  /// The entries between that position and the event are taken back.
  /// - Parameters:
  ///   - position: The position after which the conversation goes on; -1 for its beginning.
  ///   - text: A sentence about the event for a person. No model sees it.
  public static func goingBack(to position: Int, _ text: String = wentBack) -> Entry {
    var entry = event(text)
    entry.visibility = .person
    entry.continuesAfter = position
    return entry
  }

  /// The text of an event with which a conversation went back, if the caller gives none.
  public static let wentBack = "The conversation went back."
}
