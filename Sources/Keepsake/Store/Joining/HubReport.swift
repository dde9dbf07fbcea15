#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A report on a hub tells what the hub has and what is wrong with it. It is the result of
/// ``Store/checkHub(at:readingData:mendingLists:progress:)``.
public struct HubReport: Sendable, Hashable {
  /// The hub's id.
  public var hub: UUID
  /// The number of sessions that are there.
  public var sessions = 0
  /// The number of sessions that were deleted, and of which the hub keeps the id.
  public var deleted = 0
  /// The number of versions of all sessions.
  public var versions = 0
  /// The number of artifacts.
  public var artifacts = 0
  /// The number of bytes of all artifacts.
  public var artifactBytes: Int64 = 0
  /// The number of artifacts that no session names. A sweep removes those that are old enough.
  public var unused = 0
  /// The number of bytes of the artifacts that no session names.
  public var unusedBytes: Int64 = 0
  /// The artifacts that sessions need and whose bytes are missing, or were found altered.
  public var lacking: [Artifact.ID] = []
  /// The sessions whose entries in the hub's lists are missing, or differ from the sessions' versions.
  public var unlisted: [UUID] = []
  /// The findings tell what is wrong with the hub: first those of sessions, by their ids, then those of artifacts.
  public var findings: [VerifyReport.Finding] = []

  init(hub: UUID) { self.hub = hub }

  /// Tells whether all that the hub was given is there and unaltered, as far as it was looked at.
  public var isSound: Bool { findings.allSatisfy { $0.severity == .harmless } }
}
