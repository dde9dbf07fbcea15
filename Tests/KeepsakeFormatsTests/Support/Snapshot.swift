import Foundation
import Testing

/// Files that say what something is to look like.
enum Snapshot {
  /// Compares a text with a file of the fixtures; with `KEEPSAKE_RECORD=1` in the environment the file is written anew.
  static func expect(
    _ text: String, is name: String, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let file = Fixtures.folder.appending(path: name)
    if ProcessInfo.processInfo.environment["KEEPSAKE_RECORD"] == "1" {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let recorded = try String(contentsOf: file, encoding: .utf8)
    #expect(text == recorded, "\(name)", sourceLocation: location)
  }
}
