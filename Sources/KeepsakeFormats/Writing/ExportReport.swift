#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What an export wrote, and what of the sessions it could not say.
public struct ExportReport: Sendable, Hashable, Codable {
  /// A file that was written.
  public struct File: Sendable, Hashable, Codable {
    public let url: URL
    /// The sessions that are in it.
    public let sessions: [UUID]
    /// How many artifacts stand in the folder beside it, `Name.artifacts`.
    public let artifacts: Int
    /// What the format could not express of these sessions.
    public let losses: Losses
  }

  /// In the order of the sessions.
  public internal(set) var files: [File] = []

  /// What the format could not express of all sessions together.
  public var losses: Losses {
    var losses = Losses()
    for file in files { losses.add(file.losses) }
    return losses
  }
}
