#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Audit {
  /// An attachment with its whole chain: the maker, the tool call with its arguments, the prompt, and the session.
  public struct Occurrence: Sendable, Hashable, Codable, Identifiable {
    /// The attachment's number in the order of recording, across the whole store.
    public let recording: Int64
    /// The time of the recording.
    public let created: Date
    /// The app or source that recorded the attachment.
    public let recordedBy: Recorder
    /// The id of the session that shows the attachment.
    public let session: UUID
    /// The title of the session.
    public let title: String?
    /// The turn in which the artifact was attached, counted from 1.
    public let turn: Int?
    /// The lane of the entry.
    public let lane: String?
    /// The position of the attachment's entry; nil until the entry is known.
    public let position: Int?
    /// The id of the attachment's entry; nil until the entry is known.
    public let entry: UUID?
    /// The kind of the entry; nil until the entry is known.
    public let entryKind: Entry.Kind?
    /// The index of the segment; nil where no segment is known.
    public let segment: Int?
    /// The place inside the segment; nil for the whole segment.
    public let place: Entry.Attachment.Place?
    /// The id of the artifact; nil while its bytes are pending, failed, missing, remote or erased.
    public let artifact: Artifact.ID?
    /// The number of bytes; nil without an artifact.
    public let size: Int64?
    /// The media type that the bytes show; nil without an artifact.
    public let sniffedType: MediaType?
    /// The size of an image in pixels, if its format is known.
    public let pixelSize: PixelSize?
    /// The declared media type.
    public let mediaType: MediaType?
    /// The declared file name; it may be hostile, so don't use it as a path.
    public let fileName: String?
    /// A short name, unique in its session, that a model can repeat.
    public let label: String
    /// The label that the source gave, if another attachment had that label already.
    public let declaredLabel: String?
    /// The descriptions of the artifact.
    public let captions: [Entry.Attachment.Caption]
    /// Tells whether the artifact was given to the model or made.
    public let direction: Entry.Attachment.Direction
    /// The maker of the artifact.
    public let maker: Maker
    /// The basis of the claim who made the artifact.
    public let basis: Entry.Attachment.Basis
    /// A sentence that gives the reason for the basis.
    public let basisReason: String
    /// The invocation that made the artifact; nil where none was recorded.
    public let invocation: Invocation?
    /// The tool call that made the artifact; nil where none did, or the call is not known.
    public let call: Call?
    /// The name of the tool, or of the app's step, that made the artifact.
    public let tool: String?
    /// The id of the tool call as it was given, even if no call with this id is known.
    public let callID: String?
    /// The path, URL or file id that the tool gave; evidence, and never opened.
    public let reference: String?
    /// The artifacts and entries from which the artifact was made.
    public let inputs: [Entry.Attachment.Input]
    /// The first prompt of the attachment's turn.
    public let prompt: Prompt?
    /// The state of the attachment's bytes.
    public let state: Entry.Attachment.State
    /// The place of the attachment in the tamper-evident chain.
    public let link: Link

    /// The attachment's number in the order of recording, as ``recording``.
    public var id: Int64 { recording }
    /// The text of the first caption.
    public var caption: String? { captions.first?.text }
    /// The arguments of the tool call; without a call, those that the invocation recorded.
    public var arguments: String? { call?.arguments ?? invocation?.description.arguments }
  }
}

extension Audit.Occurrence {
  /// The app or source that recorded an attachment.
  public struct Recorder: Sendable, Hashable, Codable {
    /// The kinds of recorders.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
      /// The app, during the conversation.
      case app
      /// An import of a foreign source.
      case source
    }

    /// The kind of recorder.
    public let kind: Kind
    /// The name of the source's file, if it is known.
    public let file: String?
    /// The SHA-256 of the source, if it is known.
    public let digest: String?
  }

  /// The maker of an artifact, with its version.
  public struct Maker: Sendable, Hashable, Codable {
    /// The kind of maker.
    public let kind: Entry.Attachment.Maker
    /// The name of the tool or of the app's step.
    public let name: String?
    /// The type or program that implements the tool or step.
    public let implementation: String?
    /// The version of the implementation.
    public let version: String?
    /// The model that the maker used.
    public let model: String?
    /// The parameters of the model, as the app recorded them.
    public let parameters: String?
  }

  /// The prompt of a turn.
  /// The prompt of a turn.
  public struct Prompt: Sendable, Hashable, Codable {
    /// The position of the prompt.
    public let position: Int
    /// The text of the prompt.
    public let text: String
  }

  /// The place of an attachment in the tamper-evident chain. Digests are 64 hexadecimal digits.
  public struct Link: Sendable, Hashable, Codable {
    /// The session of the chain; for an attachment that a fork shares, the session that recorded it.
    public let session: UUID
    /// The number of the change that last wrote the attachment.
    public let change: Int
    /// The digest of the attachment's record.
    public let digest: String
    /// The digest of the attachment's entry; nil until the entry is known.
    public let entryDigest: String?
    /// The digest of the chain's newest change.
    public let head: String
    /// The number of changes in the chain.
    public let changes: Int
  }
}
