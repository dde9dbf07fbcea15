#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Entry {
  /// An occurrence of an artifact in a session, with its place, its description and its maker.
  ///
  /// An attachment holds no bytes. ``data()``, ``chunks(of:)`` and ``fileURL()`` read them.
  public struct Attachment: Sendable, Hashable, Identifiable {
    /// The attachment's number in the order of recording, across the whole store.
    public let recording: Int64
    /// The id of the session that recorded the attachment.
    public let session: UUID
    /// The time of the recording.
    public let created: Date
    /// The artifact; nil while its bytes are pending, failed, missing, remote or erased.
    public let artifact: Artifact?
    /// The state of the bytes: they are in the store, or why they are not.
    public let state: State
    /// The direction: the artifact was given to the model, or made.
    public let direction: Direction
    /// The kind of thing that made the artifact.
    public let maker: Maker
    /// The basis of the claim who made the artifact.
    public let basis: Basis
    /// The position of the entry to which the attachment belongs; nil until the entry is known.
    public let position: Int?
    /// The index of the segment to which the attachment belongs; nil where no segment is known.
    public let segment: Int?
    /// The place inside the segment; nil for the whole segment.
    public let place: Place?
    /// The turn in which the artifact was attached, counted from 1; nil before the first prompt.
    public let turn: Int?
    /// The tool call that made the artifact; nil where none did, or the call is not known.
    public let call: CallReference?
    /// The id of the tool call as the maker named it, which may be known before the call itself.
    public let callID: String?
    /// The name of the tool, or of the app's step, that made the artifact.
    public let tool: String?
    /// The id of the invocation that made the artifact.
    public let invocation: UUID?
    /// A short name, unique in the session, that a model can repeat without mangling it.
    public let label: String
    /// The label that the source gave, if another attachment of the session had that label already.
    public let declaredLabel: String?
    /// The declared media type; the type that the bytes show is the artifact's `sniffedType`.
    public let mediaType: MediaType?
    /// The declared file name; it may be hostile, so don't use it as a path.
    public let fileName: String?
    /// The descriptions of the artifact, by one or more authors.
    public let captions: [Caption]
    /// The path, URL or file id that the tool gave; evidence, and never opened.
    public let reference: String?
    /// The artifacts and entries from which the artifact was made.
    public let inputs: [Input]

    /// The attachment's number in the order of recording, as ``recording``.
    public var id: Int64 { recording }
    /// The text of the first caption.
    public var caption: String? { captions.first?.text }
  }
}

extension Entry.Attachment {
  /// The state of an attachment's bytes.
  public enum State: String, Sendable, Hashable, Codable, CaseIterable {
    /// The bytes are in the store.
    case present
    /// The bytes are promised, and not there yet.
    case pending
    /// The bytes never came, because making them failed.
    case failed
    /// A source named the artifact and did not have its bytes.
    case missing
    /// The bytes are somewhere else, at the attachment's `reference`.
    case remote
    /// Another attempt took the attachment's place.
    case superseded
    /// The bytes were erased from the store.
    case erased
  }

  /// The direction of an attachment, as seen from the model.
  public enum Direction: String, Sendable, Hashable, Codable, CaseIterable {
    /// Given to the model.
    case given
    /// Made by a tool, a model or the app.
    case made
    /// A text of the entry that is too large for the database; it is read with the entry and never listed.
    case content
  }

  /// The kinds of things that make artifacts.
  public enum Maker: String, Sendable, Hashable, Codable, CaseIterable {
    /// A tool call of the model.
    case toolCall
    /// A step of the app that no model called.
    case step
    /// A model's response.
    case response
    /// The person.
    case user
    /// A foreign source that says no more.
    case source
  }

  /// The reason to believe that the maker made the artifact.
  public enum Basis: String, Sendable, Hashable, Codable, CaseIterable {
    /// The caller said who made the artifact.
    case explicit
    /// The artifact was recorded while the invocation was running.
    case enclosing
    /// Equal content shows the maker.
    case inferred
    /// Nobody said who made the artifact.
    case unknown
    /// The imported transcript says who made the artifact; no app did.
    case recorded
    /// The imported transcript does not say who made the artifact; the maker follows from the place in the transcript.
    case position
    /// A call names the path of the file, and the file last changed while the call ran.
    case path
  }

  /// A place inside a segment.
  public enum Place: Sendable, Hashable, Codable {
    /// A place in structured content, as a JSON Pointer (RFC 6901) such as `/protagonist/portrait`.
    case pointer(String)
    /// A range in text, as UTF-8 offsets.
    case range(Range<Int>)
  }

  /// A description of an artifact, with its author.
  public struct Caption: Sendable, Hashable, Codable {
    /// The description.
    public var text: String
    /// The author, such as the name of a person or a model; nil where nobody is named.
    public var author: String?

    /// Creates a caption.
    public init(_ text: String, author: String? = nil) {
      self.text = text
      self.author = author
    }
  }

  /// An artifact or an entry from which an artifact was made.
  public enum Input: Sendable, Hashable, Codable {
    /// An artifact, by its id.
    case artifact(Artifact.ID)
    /// An entry of the same session, by its position.
    case entry(Int)
  }

  /// The place of a tool call in its session.
  public struct CallReference: Sendable, Hashable, Codable {
    /// The position of the entry with the call.
    public let position: Int
    /// The index of the call in that entry.
    public let ordinal: Int

    package init(position: Int, ordinal: Int) {
      self.position = position
      self.ordinal = ordinal
    }
  }
}
