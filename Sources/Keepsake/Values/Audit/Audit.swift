#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The results of audits: which tool made an artifact, from what, for which prompt, and how sure that is.
///
/// All values are as the store holds them. An unknown value is nil, and never guessed.
public enum Audit {
  /// The place at which a page of an audit ended, in the order of recording.
  public struct Cursor: Sendable, Hashable, Codable, LosslessStringConvertible {
    let recording: Int64

    init(recording: Int64) { self.recording = recording }

    /// Reads a cursor from the text that ``description`` gives; nil for any other text.
    public init?(_ description: String) {
      guard let recording = Int64(description, radix: 36) else { return nil }
      self.recording = recording
    }

    /// The cursor as text, to be stored or sent.
    public var description: String { String(recording, radix: 36) }
  }
}

extension Audit {
  /// Everything that the store knows of one artifact.
  public struct Trail: Sendable, Hashable, Codable {
    /// The id of the artifact.
    public let artifact: Artifact.ID
    /// The number of bytes.
    public let size: Int64
    /// The media type that the bytes show.
    public let sniffedType: MediaType
    /// The size of an image in pixels, if its format is known.
    public let pixelSize: PixelSize?
    /// The attachments of the artifact with their chains back to the prompt, in the order of recording.
    public let attachments: [Occurrence]
    /// The cursor with which to ask for more attachments; nil if there are no more.
    public let next: Cursor?
    /// The inputs from which the artifact was made, one step back. Ask for the trail of each to go on.
    public let madeFrom: [Input]
    /// The attachments that were made from the artifact, one step on. Ask for the trail of each to go on.
    public let madeInto: [Product]
  }

  /// An artifact or an entry from which an artifact was made.
  public struct Input: Sendable, Hashable, Codable {
    /// The recording number of the attachment that names the input.
    public let recording: Int64
    /// The id of the session with that attachment.
    public let session: UUID
    /// The id of the artifact; nil for an entry.
    public let artifact: Artifact.ID?
    /// The position of the entry in that session; nil for an artifact.
    public let position: Int?
  }

  /// An attachment in brief, as a product of a tool or of another artifact.
  public struct Product: Sendable, Hashable, Codable, Identifiable {
    /// The attachment's number in the order of recording, across the whole store.
    public let recording: Int64
    /// The time of the recording.
    public let created: Date
    /// The id of the artifact; nil while its bytes are pending, failed, missing, remote or erased.
    public let artifact: Artifact.ID?
    /// The number of bytes; nil without an artifact.
    public let size: Int64?
    /// The declared media type, or else the type that the bytes show.
    public let mediaType: MediaType?
    /// The id of the session that shows the attachment.
    public let session: UUID
    /// The position of the attachment's entry; nil until the entry is known.
    public let position: Int?
    /// A short name, unique in its session.
    public let label: String
    /// The kind of maker.
    public let maker: Entry.Attachment.Maker
    /// The name of the tool, or of the app's step, that made the artifact.
    public let tool: String?
    /// The id of the tool call as it was given.
    public let callID: String?
    /// The basis of the claim who made the artifact.
    public let basis: Entry.Attachment.Basis
    /// The state of the attachment's bytes.
    public let state: Entry.Attachment.State

    /// The attachment's number in the order of recording, as ``recording``.
    public var id: Int64 { recording }
  }

  /// A page of the products of a tool, newest first.
  public struct Page: Sendable, Hashable, Codable {
    /// The products of the page.
    public let products: [Product]
    /// The cursor with which to ask for the next page; nil at the end.
    public let next: Cursor?
  }
}

extension Audit {
  /// Everything that a session made and was given, and what is missing in it.
  public struct SessionReport: Sendable, Hashable, Codable {
    /// The id of the session.
    public let session: UUID
    /// The session's title.
    public let title: String?
    /// The digest of the newest change in the session's chain.
    public let head: String
    /// The number of changes in the session's chain.
    public let changes: Int
    /// All attachments, with or without an entry: those that a fork shares first, each part in the order of recording.
    public let attachments: [Occurrence]
    /// The tool calls without an output.
    public let callsWithoutOutput: [Call]
    /// The invocations that began and never ended.
    public let unendedInvocations: [Invocation]
    /// The invocations of tools whose calls are not known.
    public let unboundInvocations: [Invocation]
  }

  /// A tool call of a session.
  public struct Call: Sendable, Hashable, Codable {
    /// The position of the entry with the call.
    public let position: Int
    /// The index of the call in its entry, from 0.
    public let ordinal: Int
    /// The id of the call; nil if it has none.
    public let id: String?
    /// The name of the tool.
    public let tool: String
    /// The arguments as the model wrote them; nil if they were erased.
    public let arguments: String?
  }
}
