package import KeepsakeFiles

extension Artifact {
  /// Opens the file of a large artifact, whose bytes are checked as ``data()`` does.
  ///
  /// Blocks while it checks. The file stays readable even if the artifact is removed meanwhile.
  /// - Returns: The file; nil for a small artifact, whose bytes are in the database.
  /// - Throws: A ``KeepsakeError`` with the code `artifactDamaged` or `artifactMissing`.
  package func openFile() throws -> FileDescriptor? {
    guard let home, home.place == .file else { return nil }
    let store = home.open
    try store.requireOpen()
    do {
      return try store.artifacts.openChecked(
        digest: id.digest, size: size, number: home.number)
    } catch let error as FileError where error.code == .notFound {
      throw Artifact.missing(id)
    } catch let error as FileError where error.code == .notRegular || error.code == .link {
      throw Artifact.altered(id)
    } catch { throw KeepsakeError.wrap(error, store: store.layout.path) }
  }
}
