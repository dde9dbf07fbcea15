import KeepsakeFiles
import Keepsake

/// A file that is being exported, with the folder of artifacts beside it. Both appear only when they are complete.
///
/// An export that is not finished leaves nothing behind.
final class ExportFile: Sendable {
  private let file: NewFile
  private let artifacts: ArtifactFolder?

  /// - Parameters:
  ///   - name: The name of the file.
  ///   - folder: The folder that the file is written to.
  ///   - artifacts: Where the bytes of attachments go.
  ///   - mayReplace: Whether a file with the name, and the folder of an earlier export beside it, are replaced.
  ///   - session: One of the exported sessions, whose store tells the files of an earlier export from others.
  init(
    _ name: String, in folder: Directory, artifacts: ExportOptions.Artifacts?,
    replacing mayReplace: Bool, of session: Session
  ) throws(FileError) {
    try Self.requireFree(name, in: folder, artifacts: artifacts, replacing: mayReplace)
    file = try NewFile(name, in: folder, replacing: mayReplace)
    self.artifacts =
      artifacts == .files
      ? ArtifactFolder(
        ArtifactFolder.name(beside: name), in: folder, replacing: mayReplace,
        unlessKept: { try session.storeHolds($0) }) : nil
  }

  /// The output that a codec writes to.
  var output: ExportOutput {
    let file = file
    var output = ExportOutput { bytes in
      try Task.checkCancellation()
      try file.write(bytes)
    }
    if let artifacts {
      output.place = { artifact, name in try await artifacts.place(artifact, as: name) }
    }
    return output
  }

  /// The number of artifacts in the folder beside the file.
  var artifactCount: Int { artifacts?.count ?? 0 }

  /// Puts folder and file durably in their places, the folder first, so that the file never names what is not there
  /// yet.
  func finish() throws {
    try Task.checkCancellation()
    try artifacts?.place()
    try file.finish()
    try artifacts?.settle()
  }

  /// Removes from a folder what interrupted exports left there.
  static func cleared(_ folder: Directory) -> Directory {
    // An old file that can't be removed is no reason to refuse the export.
    _ = try? folder.removeAbandoned()
    return folder
  }

  /// Throws where the export would replace something that may not be replaced.
  static func requireFree(
    _ name: String, in folder: Directory, artifacts: ExportOptions.Artifacts?,
    replacing mayReplace: Bool
  ) throws(FileError) {
    try NewFile.requireFree(name, in: folder, replacing: mayReplace)
    guard artifacts == .files else { return }
    try NewFolder.requireFree(
      ArtifactFolder.name(beside: name), in: folder, replacing: mayReplace)
  }
}
