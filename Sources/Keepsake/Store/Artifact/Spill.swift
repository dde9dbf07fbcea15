import KeepsakeFiles

/// Collects pieces in memory while they are few, and in a file in `incoming/` from then on.
final class Spill {
  private(set) var small: [UInt8] = []
  private var file: File?

  /// The file to which the pieces are written.
  struct File: ~Copyable {
    var writer: IngestWriter
    let name: String
    let folder: Directory
  }

  func take(_ chunk: [UInt8], opening: () throws -> (name: String, folder: Directory)) throws {
    if file != nil {
      try file?.writer.write(chunk)
      return
    }
    small += chunk
    guard small.count > Artifact.inlineLimit else { return }
    let (name, folder) = try opening()
    var writer = try IngestWriter(directory: folder, name: name)
    try writer.write(small)
    small = []
    file = File(writer: writer, name: name, folder: folder)
  }

  /// Returns the file if the pieces became too many for memory; otherwise nil.
  func takeFile() -> File? { file.take() }
}
