#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Entry {
  /// An artifact to be attached: its bytes and what is to be said of them.
  public struct NewAttachment: Sendable {
    /// nil where the bytes are pending, missing or remote.
    public var source: ArtifactSource?
    public var mediaType: MediaType?
    public var fileName: String?
    /// The label that it should have. Where it is taken in the session, or nil, one is given.
    public var label: String?
    public var captions: [Attachment.Caption]
    public var maker: MadeBy
    /// The lane in whose turn it was made, where several have turns at the same time and neither a run nor an entry
    /// says whose it is.
    public var lane: String?
    public var direction: Attachment.Direction
    public var state: Attachment.State
    public var segment: Int?
    public var place: Attachment.Place?
    /// The path, URL or file id that the tool gave: kept as evidence, never opened.
    public var reference: String?
    public var inputs: [Attachment.Input]
    /// Of a copy: how sure it was who made the original. Of a transcript: that it says so. Nil where the caller says it.
    package var basis: Attachment.Basis?

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

    /// An attachment whose bytes are not here: still pending, missing, or remote.
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

  /// Who made an artifact, as the caller knows it.
  public enum MadeBy: Sendable, Hashable, Codable {
    /// A tool call of the session; it may be appended later.
    case toolCall(ToolCall)
    /// A run of a tool or of a step of the app.
    case invocation(Invocation)
    /// A step of the app that has no invocation of its own.
    case step(String)
    case response
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
