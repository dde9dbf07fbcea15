/// The counts of what a sweep of a hub removed, or would remove. They are the result of ``Store/sweepHub(at:olderThan:isPreview:progress:)``.
public struct HubSwept: Sendable, Hashable {
  /// The number of artifacts that no session named.
  public var artifacts = 0
  /// The number of bytes of the artifacts that no session named.
  public var artifactBytes: Int64 = 0
  /// The number of files that stores left unfinished in the hub's folder or bucket, because they ended while they wrote.
  public var files = 0
  /// The number of bytes of the unfinished files.
  public var fileBytes: Int64 = 0
  /// The number of sessions of which older versions still said what was erased or deleted since.
  public var sessions = 0
  /// The number of stores that were taken off the hub's list of stores, because they share the hub's sessions and did not use the hub for
  /// 30 days.
  public var stores = 0
}
