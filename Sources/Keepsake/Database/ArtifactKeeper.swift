/// The store that a reader of rows reads for, which gives the values that the database alone can't give.
protocol ArtifactKeeper: Sendable {
  /// Makes the artifact of a row, which knows where its bytes are.
  func artifact(of row: ArtifactRow) -> Artifact

  /// Puts the texts of an entry that are kept as artifacts in place of their placeholders.
  func resolveLargeTexts(of entry: inout Entry, in db: Tables) throws
}
