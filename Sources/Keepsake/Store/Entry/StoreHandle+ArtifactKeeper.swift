extension StoreHandle: ArtifactKeeper {
  func artifact(of row: ArtifactRow) -> Artifact { row.value(self) }

  /// Puts the texts that are kept as artifacts in place of their placeholders; throws if the store lacks one.
  func resolveLargeTexts(of entry: inout Entry, in db: Tables) throws {
    for (index, segment) in entry.segments.enumerated() {
      guard case .opaque(let json, type: LargeText.placeholder) = segment.content,
        let id = json.stringValue.flatMap(Artifact.ID.init)
      else { continue }
      guard let row = try artifacts.row(id.digest, in: db) else {
        throw KeepsakeError(
          .artifactMissing,
          "A text of an entry, kept as \(id), is gone from the store. Restore it from a backup.",
          object: id.description)
      }
      entry.segments[index].content = .text(try row.value(self).text())
    }
  }
}
