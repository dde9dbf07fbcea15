public import Keepsake

/// The options for writing sessions to a file.
public struct ExportOptions: Sendable {
  /// Where the bytes of attachments go.
  public enum Artifacts: String, Sendable, Hashable, Codable, CaseIterable {
    /// The bytes stand in the file itself.
    case inline
    /// The bytes are files in a folder beside the file.
    case files
    /// The bytes are left out, and only the names of attachments are written.
    case none
  }

  /// Where the bytes of attachments go; nil for the format's default, the first of ``Format/artifacts``.
  ///
  /// Where the output has no folder beside it, the default is the first of them that needs none.
  public var artifacts: Artifacts?
  /// The options for giving the session to a model that continues it; nil to write the whole session as it is stored.
  public var resumption: Resumption.Options?
  /// The folder that the conversation belongs to, in formats of coding agents.
  ///
  /// nil stands for the current folder, and for the original folder of a file that is written as it stood. Other formats refuse
  /// a folder.
  public var folder: String?
  /// The position from which a conversation is handed over, in formats of coding agents.
  ///
  /// The conversation begins with the first prompt at or after this position. nil stands for the whole conversation. Other formats
  /// refuse a position.
  public var start: Int?

  /// Creates options.
  /// - Parameters:
  ///   - artifacts: Where the bytes of attachments go; nil for the format's default.
  ///   - resumption: The options for giving the session to a model; nil to write the whole session as it is stored.
  public init(artifacts: Artifacts? = nil, resumption: Resumption.Options? = nil) {
    self.artifacts = artifacts
    self.resumption = resumption
  }
}
