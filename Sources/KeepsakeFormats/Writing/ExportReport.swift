#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The report of an export: the files that were written, and what the format could not express.
public struct ExportReport: Sendable, Hashable, Codable {
  /// A file that was written.
  public struct File: Sendable, Hashable, Codable {
    /// The place of the file.
    public let url: URL
    /// The ids of the sessions in the file.
    public let sessions: [UUID]
    /// The number of artifacts in the folder beside the file, `Name.artifacts`.
    public let artifacts: Int
    /// A count of what the format could not express of these sessions.
    public let losses: Losses
  }

  /// The files in the order of the sessions.
  public internal(set) var files: [File] = []
  /// The file that lists the others, `index.html` beside HTML pages; nil where there is none.
  public internal(set) var list: URL?

  /// A count of what the format could not express of all sessions together.
  public var losses: Losses {
    var losses = Losses()
    for file in files { losses.add(file.losses) }
    return losses
  }
}
