import KeepsakeFiles
import Keepsake
import KeepsakeFormats

/// The session files of other programs on this machine, in formats that can be imported.
struct AgentFiles {
  /// The files of one program.
  struct Found {
    let place: AgentPlace
    let files: FilesBelow

    var size: Int64 { files.found.reduce(0) { $0 + $1.size } }
  }

  /// The programs that have any files, with the files.
  let found: [Found]

  init(_ environment: [String: String]) throws {
    guard let home = environment["HOME"], home.hasPrefix("/") else {
      throw CommandError(
        message:
          "Can't look where agents keep their sessions: HOME is not set. Name a file or a folder.")
    }
    found = AgentPlace.all(home: home, environment: environment).compactMap { place in
      guard let folder = try? Directory(path: place.folder) else { return nil }
      let files = FilesBelow(folder, endings: place.endings)
      return files.found.isEmpty ? nil : Found(place: place, files: files)
    }
  }

  var paths: [String] { found.flatMap { $0.files.found.map(\.path) } }

  /// A line of text for each program.
  var lines: [String] {
    found.map { one in
      let files = Words.count(one.files.found.count, "file")
      return "\(one.place.program): \(files), \(Words.size(one.size)), in \(one.place.folder)"
    }
  }
}
