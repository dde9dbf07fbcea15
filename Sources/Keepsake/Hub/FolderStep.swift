/// The moments at which a test stops the work on a folder, as a crash would.
enum FolderStep: Sendable, CaseIterable {
  case sessionMade, versionBegun, versionHalf, versionWritten, versionPlaced, feedWritten
  case artifactBegun, artifactHalf, artifactWritten, artifactPlaced
  case artifactGoing
  case rewritingBegun, rewritingWritten, rewritingPlaced
}
