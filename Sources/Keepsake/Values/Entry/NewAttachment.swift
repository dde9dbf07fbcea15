#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Entry {
  /// An artifact to be attached to a session, with its bytes and its description.
  public struct NewAttachment: Sendable {
    /// The bytes; nil while they are pending, missing or remote.
    public var source: ArtifactSource?
    /// The declared media type; nil if nothing is declared.
    public var mediaType: MediaType?
    /// The declared file name; nil if nothing is declared.
    public var fileName: String?
    /// The wanted label; if it is nil or taken in the session, the store gives a label.
    public var label: String?
    /// The descriptions of the artifact, by one or more authors.
    public var captions: [Attachment.Caption]
    /// The maker of the artifact, as the caller knows it.
    public var maker: MadeBy
    /// The lane whose turn made the artifact.
    ///
    /// It is needed only if several lanes have turns at the same time, and neither an invocation nor an entry tells the lane.
    public var lane: String?
    /// The direction: the artifact is given to the model, or was made.
    public var direction: Attachment.Direction
    /// The state of the bytes; only `present` has a source.
    public var state: Attachment.State
    /// The index of the segment to which the attachment belongs.
    public var segment: Int?
    /// The place inside the segment; nil for the whole segment.
    public var place: Attachment.Place?
    /// The path, URL or file id that the tool gave; kept as evidence, never opened.
    public var reference: String?
    /// The artifacts and entries from which the artifact was made.
    public var inputs: [Attachment.Input]
    /// The basis of the claim who made the artifact, for copies and imports; nil if the caller makes the claim.
    package var basis: Attachment.Basis?

    /// Creates an attachment whose bytes are at hand.
    ///
    /// - Parameters:
    ///   - source: The bytes.
    ///   - mediaType: The declared media type.
    ///   - fileName: The declared file name.
    ///   - label: The wanted label.
    ///   - caption: A description of the artifact.
    ///   - maker: The maker of the artifact; it also decides the direction.
    public init(
      _ source: ArtifactSource, mediaType: MediaType? = nil, fileName: String? = nil,
      label: String? = nil, caption: String? = nil, madeBy maker: MadeBy = .user
    ) {
      self.source = source
      self.mediaType = mediaType
      self.fileName = fileName
      self.label = label
      self.captions = caption.map { [Attachment.Caption($0)] } ?? []
      self.maker = maker
      self.direction = maker.direction
      self.state = .present
      self.inputs = []
    }

    /// Creates an attachment whose bytes are not at hand, because they are pending, missing or remote.
    ///
    /// - Parameters:
    ///   - state: The reason why there are no bytes.
    ///   - mediaType: The declared media type.
    ///   - reference: The path, URL or file id of the bytes; kept as evidence.
    ///   - maker: The maker of the artifact.
    public static func awaited(
      _ state: Attachment.State = .pending, mediaType: MediaType? = nil, reference: String? = nil,
      madeBy maker: MadeBy
    ) -> NewAttachment {
      var new = NewAttachment(.bytes([]), mediaType: mediaType, madeBy: maker)
      new.source = nil
      new.state = state
      new.reference = reference
      return new
    }
  }

  /// The maker of an artifact, as the caller knows it.
  public enum MadeBy: Sendable, Hashable, Codable {
    /// A tool call of the session, which may be appended later.
    case toolCall(ToolCall)
    /// A run of a tool, or of a step of the app.
    case invocation(Invocation)
    /// A step of the app that has no invocation of its own.
    case step(String)
    /// A model's response.
    case response
    /// The person.
    case user
    /// A foreign source that says no more.
    case source

    var direction: Attachment.Direction {
      switch self {
      case .toolCall, .invocation, .step, .response: .made
      case .user, .source: .given
      }
    }
  }
}
