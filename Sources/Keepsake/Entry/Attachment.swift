#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Entry {
  /// One occurrence of an artifact in a session: where it stands, what is said of it, and who made it.
  ///
  /// It holds no bytes; they are fetched when asked for: ``data()``, ``chunks(of:)``, ``fileURL()``.
  public struct Attachment: Sendable, Hashable, Identifiable {
    /// Its number in the order of recording, across the whole store.
    public let recording: Int64
    public let session: UUID
    public let created: Date
    /// The exact bytes; nil while they are pending, failed, missing, remote or erased.
    public let artifact: Artifact?
    public let state: State
    public let direction: Direction
    public let maker: Maker
    /// How sure it is who made it.
    public let basis: Basis
    /// The position of its entry; nil until that is known.
    public let position: Int?
    /// The segment that it belongs to, where that is known.
    public let segment: Int?
    public let place: Place?
    public let turn: Int?
    /// The tool call that made it, where one did and it is known.
    public let call: CallReference?
    /// The id of that call, as it was named; it may be known before the call is.
    public let callID: String?
    public let tool: String?
    /// The run that made it.
    public let invocation: UUID?
    /// A short handle, unique in its session, that a model can repeat without mangling it.
    public let label: String
    /// What its source called it, where that label was taken.
    public let declaredLabel: String?
    /// As declared; what the bytes say is the artifact's `sniffedType`.
    public let mediaType: MediaType?
    public let fileName: String?
    public let captions: [Caption]
    /// The path, URL or file id that the tool gave: evidence, never opened.
    public let reference: String?
    /// What it was made from.
    public let inputs: [Input]

    public var id: Int64 { recording }
    /// Its first caption.
    public var caption: String? { captions.first?.text }
  }
}

extension Entry.Attachment {
  public enum State: String, Sendable, Hashable, Codable, CaseIterable {
    case present
    /// Promised, and not there yet.
    case pending
    case failed
    /// A source named it and did not have its bytes.
    case missing
    /// Its bytes are somewhere else, by their `reference`.
    case remote
    /// Another attempt took its place.
    case superseded
    case erased
  }

  public enum Direction: String, Sendable, Hashable, Codable, CaseIterable {
    /// Given to the model.
    case given
    /// Made by a tool, a model or the app.
    case made
    /// A text of the entry itself that is too large for the database; it is read with the entry and never listed.
    case content
  }

  /// What kind of thing made an artifact.
  public enum Maker: String, Sendable, Hashable, Codable, CaseIterable {
    case toolCall
    /// A step of the app that no model called.
    case step
    case response
    case user
    case source
  }

  /// Why we believe that the maker made it.
  public enum Basis: String, Sendable, Hashable, Codable, CaseIterable {
    /// The caller said so.
    case explicit
    /// It was recorded while the run was under way.
    case enclosing
    /// It follows from equal content.
    case inferred
    /// Nobody said.
    case unknown
    /// The transcript that it came in says so; no app did.
    case recorded
    /// The transcript that it came in does not say it; it follows from its place there.
    case position
    /// A call names the path of the file, and the file last changed while the call ran.
    case path
  }

  /// A place inside of a segment.
  public enum Place: Sendable, Hashable, Codable {
    /// Inside of structured content, by RFC 6901: `/protagonist/portrait`.
    case pointer(String)
    /// Inside of text, as UTF-8 offsets.
    case range(Range<Int>)
  }

  public struct Caption: Sendable, Hashable, Codable {
    public var text: String
    public var author: String?

    public init(_ text: String, author: String? = nil) {
      self.text = text
      self.author = author
    }
  }

  /// Something that an artifact was made from.
  public enum Input: Sendable, Hashable, Codable {
    case artifact(Artifact.ID)
    /// An entry of the same session, by its position.
    case entry(Int)
  }

  /// Where a tool call stands.
  public struct CallReference: Sendable, Hashable, Codable {
    public let position: Int
    public let ordinal: Int

    package init(position: Int, ordinal: Int) {
      self.position = position
      self.ordinal = ordinal
    }
  }
}
