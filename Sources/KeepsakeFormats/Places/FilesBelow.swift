package import KeepsakeFiles
package import Keepsake

/// Lists the files in a folder and below, without hidden files, links, and stores.
package struct FilesBelow {
  package private(set) var found: [(path: String, size: Int64)] = []
  package private(set) var unreadable: [ImportReport.Skipped] = []
  private let endings: [String]

  /// - Parameters:
  ///   - folder: The folder.
  ///   - endings: The possible endings of the names of wanted files.
  package init(_ folder: Directory, endings: [String] = [""]) {
    self.endings = endings
    add(folder)
  }

  private mutating func add(_ folder: Directory) {
    do throws(FileError) {
      let (names, garbled) = try folder.listing()
      for name in garbled where !name.hasPrefix(".") {
        unreadable.append(
          .init(
            path: folder.path(of: name),
            reason: "Its name is no UTF-8. Rename it, and import it again."))
      }
      for name in names where !name.hasPrefix(".") {
        guard let status = try folder.status(name) else { continue }
        if status.isRegular, endings.contains(where: name.hasSuffix) {
          found.append((folder.path(of: name), status.size))
        }
        if status.isDirectory, !name.hasSuffix(".keepsake") { add(try folder.subdirectory(name)) }
      }
    } catch {
      unreadable.append(.init(path: error.path, reason: error.message))
    }
  }
}
