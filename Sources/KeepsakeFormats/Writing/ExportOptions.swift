public import Keepsake

/// How sessions are written to a file.
public struct ExportOptions: Sendable {
  /// What becomes of the bytes of attachments.
  public enum Artifacts: String, Sendable, Hashable, Codable, CaseIterable {
    /// They stand in the file.
    case inline
    /// They are files of their own, in a folder beside it.
    case files
    /// They are left out: what the attachments are called is all that is said of them.
    case none
  }

  /// nil for what the format usually does, which is the first of ``Format/artifacts``; of those the first that needs no
  /// folder, where there is no file for one to stand beside.
  public var artifacts: Artifacts?
  /// Where the file is for a model to go on from: what it is given of the session. nil for all of the session, as it is
  /// stored.
  public var resumption: Resumption.Options?
  /// For the formats of coding agents: the folder that the conversation is to belong to. nil for the current one, and for
  /// that of a file that is given back as it stood. Other formats refuse it.
  public var folder: String?
  /// For the formats of coding agents: the position from which on the conversation is carried over. It begins with the first
  /// prompt that stands there or behind. nil for all of it. Other formats refuse it.
  public var start: Int?

  public init(artifacts: Artifacts? = nil, resumption: Resumption.Options? = nil) {
    self.artifacts = artifacts
    self.resumption = resumption
  }
}
