#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What an audit finds: which tool made an artifact, from what, for which prompt, and how sure that is.
///
/// Everything is given as the store holds it. What is not known is nil, and never guessed into fact.
public enum Audit {
  /// Where a page of an audit ended, in the order of recording.
  public struct Cursor: Sendable, Hashable, Codable, LosslessStringConvertible {
    let recording: Int64

    init(recording: Int64) { self.recording = recording }

    public init?(_ description: String) {
      guard let recording = Int64(description, radix: 36) else { return nil }
      self.recording = recording
    }

    public var description: String { String(recording, radix: 36) }
  }
}

extension Audit {
  /// Everything that is known of one artifact.
  public struct Trail: Sendable, Hashable, Codable {
    public let artifact: Artifact.ID
    public let size: Int64
    public let sniffedType: MediaType
    public let pixelSize: PixelSize?
    /// Every place where it occurs, with the chain back to the prompt, in the order of recording.
    public let attachments: [Occurrence]
    /// What to ask with for more attachments; nil when these are all.
    public let next: Cursor?
    /// What it was made from, as its attachments say; one step back. Ask for the trail of each to go on.
    public let madeFrom: [Input]
    /// What was made from it; one step on. Ask for the trail of each to go on.
    public let madeInto: [Product]
  }

  /// Something that an artifact was made from: another artifact, or an entry.
  public struct Input: Sendable, Hashable, Codable {
    /// The attachment that says so.
    public let recording: Int64
    public let session: UUID
    public let artifact: Artifact.ID?
    /// The position of an entry of that session.
    public let position: Int?
  }

  /// One attachment in a line: of what a tool made, or of what was made from an artifact.
  public struct Product: Sendable, Hashable, Codable, Identifiable {
    /// Its number in the order of recording, across the whole store.
    public let recording: Int64
    public let created: Date
    /// nil while its bytes are pending, failed, missing, remote or erased.
    public let artifact: Artifact.ID?
    public let size: Int64?
    /// As declared, or else as the bytes say.
    public let mediaType: MediaType?
    public let session: UUID
    /// The position of its entry; nil until that is known.
    public let position: Int?
    public let label: String
    public let maker: Entry.Attachment.Maker
    public let tool: String?
    public let callID: String?
    public let basis: Entry.Attachment.Basis
    public let state: Entry.Attachment.State

    public var id: Int64 { recording }
  }

  /// A page of what a tool made, the newest first.
  public struct Page: Sendable, Hashable, Codable {
    public let products: [Product]
    /// What to ask with for the next page; nil at the end.
    public let next: Cursor?
  }
}

extension Audit {
  /// Everything that a session made and was given, and what is missing of it.
  public struct SessionReport: Sendable, Hashable, Codable {
    public let session: UUID
    public let title: String?
    /// The head of its chain, and how many changes lead to it.
    public let head: String
    public let changes: Int
    /// Bound to an entry or not; what a fork shares comes first, then its own, each in the order of recording.
    public let attachments: [Occurrence]
    /// Tool calls that nothing has answered.
    public let callsWithoutOutput: [Call]
    /// Runs that began and never ended.
    public let unendedInvocations: [Invocation]
    /// Runs of tools of which it is not known which call asked for them.
    public let unboundInvocations: [Invocation]
  }

  /// A tool call of a session.
  public struct Call: Sendable, Hashable, Codable {
    public let position: Int
    /// Which one of its entry's calls it is, from 0.
    public let ordinal: Int
    public let id: String?
    public let tool: String
    /// As the model wrote them; nil where they were erased.
    public let arguments: String?
  }
}
