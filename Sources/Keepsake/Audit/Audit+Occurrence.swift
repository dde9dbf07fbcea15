#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Audit {
  /// One attachment with its whole chain: its maker, the tool call and its arguments, the prompt, the session.
  public struct Occurrence: Sendable, Hashable, Codable, Identifiable {
    /// Its number in the order of recording, across the whole store.
    public let recording: Int64
    public let created: Date
    public let recordedBy: Recorder
    public let session: UUID
    public let title: String?
    public let turn: Int?
    public let lane: String?
    /// The position of its entry; nil until that is known.
    public let position: Int?
    /// The entry's own identifier.
    public let entry: UUID?
    public let entryKind: Entry.Kind?
    public let segment: Int?
    public let place: Entry.Attachment.Place?
    /// nil while its bytes are pending, failed, missing, remote or erased.
    public let artifact: Artifact.ID?
    public let size: Int64?
    public let sniffedType: MediaType?
    public let pixelSize: PixelSize?
    /// As declared.
    public let mediaType: MediaType?
    public let fileName: String?
    public let label: String
    public let declaredLabel: String?
    public let captions: [Entry.Attachment.Caption]
    public let direction: Entry.Attachment.Direction
    public let maker: Maker
    public let basis: Entry.Attachment.Basis
    /// Why it is believed, in a sentence.
    public let basisReason: String
    /// The run that made it, where one was recorded.
    public let invocation: Invocation?
    /// The tool call that made it, where one did and it is known.
    public let call: Call?
    public let tool: String?
    /// The id of its call as it was given, also where no such call is known.
    public let callID: String?
    /// The path, URL or file id that the tool gave: evidence, never opened.
    public let reference: String?
    public let inputs: [Entry.Attachment.Input]
    /// The prompt of its turn.
    public let prompt: Prompt?
    public let state: Entry.Attachment.State
    public let link: Link

    public var id: Int64 { recording }
    /// Its first caption.
    public var caption: String? { captions.first?.text }
    /// The arguments of its call, or else those that its run recorded.
    public var arguments: String? { call?.arguments ?? invocation?.description.arguments }
  }
}

extension Audit.Occurrence {
  /// Who told the store of it.
  public struct Recorder: Sendable, Hashable, Codable {
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
      /// The app, while the conversation went on.
      case app
      /// An import of a foreign source.
      case source
    }

    public let kind: Kind
    /// The source's file, where it is known.
    public let file: String?
    /// The SHA-256 of the source, where it is known.
    public let digest: String?
  }

  /// What made it.
  public struct Maker: Sendable, Hashable, Codable {
    public let kind: Entry.Attachment.Maker
    /// The tool's name, or the step's.
    public let name: String?
    /// The type or program behind the name.
    public let implementation: String?
    public let version: String?
    public let model: String?
    public let parameters: String?
  }

  /// The prompt of a turn.
  public struct Prompt: Sendable, Hashable, Codable {
    public let position: Int
    public let text: String
  }

  /// Where it stands in the tamper-evident chain. Digests are 64 hexadecimal digits.
  public struct Link: Sendable, Hashable, Codable {
    /// The session whose chain it is: of what a fork shares, the session that recorded it.
    public let session: UUID
    /// The number of the change that last wrote the attachment.
    public let change: Int
    public let digest: String
    /// The digest of its entry, once that is known.
    public let entryDigest: String?
    /// The head of the chain, and how many changes lead to it.
    public let head: String
    public let changes: Int
  }
}
