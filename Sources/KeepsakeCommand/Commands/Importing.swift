#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Files
import Keepsake
import KeepsakeFormats

/// An import of several files under way.
struct Importing {
  let store: Store
  let format: String?
  let terminal: Terminal
  private(set) var report = ImportReport()
  /// Whether something that was named could not be taken over.
  private(set) var hasFailed = false

  init(store: Store, format: String?, terminal: Terminal) {
    self.store = store
    self.format = format
    self.terminal = terminal
  }

  /// Takes over a file, or all files of a folder.
  mutating func take(_ path: String) async throws {
    let folder: Directory
    do {
      folder = try Directory(path: path)
    } catch let error where error.code == .notDirectory {
      return try await takeFile(path, isNamed: true)
    } catch {
      hasFailed = true
      report.skipped.append(.init(path: path, reason: error.message))
      return
    }
    let files = FilesBelow(folder)
    report.skipped += files.unreadable
    for (index, file) in files.paths.enumerated() {
      try terminal.progress("\(index + 1) of \(files.paths.count)  \(file)")
      try await takeFile(file, isNamed: false)
    }
  }

  /// Takes over what stands on standard input; formats are read twice, so it is put aside first.
  mutating func takeInput() async throws {
    // Until something comes there is nothing to be left behind by who gives up waiting.
    var piece = try terminal.input()
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "keepsake-input-\(UUID().uuidString.lowercased())", directoryHint: .isDirectory)
    _ = try Directory.create(path: folder.path)
    do {
      let file = try NewFile("standard input", in: Directory(path: folder.path), mode: 0o600)
      while !piece.isEmpty {
        try Task.checkCancellation()
        try file.write(piece)
        piece = try terminal.input()
      }
      try file.finish()
      try await takeFile(folder.appending(path: "standard input").path, isNamed: true)
    } catch {
      try FileManager.default.removeItem(at: folder)
      throw error
    }
    try FileManager.default.removeItem(at: folder)
  }

  private mutating func takeFile(_ path: String, isNamed: Bool) async throws {
    do {
      report.add(try await store.importFile(at: URL(filePath: path), format: format))
    } catch let error as FormatError {
      skip(path, error.message, isNamed: isNamed)
    } catch let error as KeepsakeError where Self.isAboutFile(error) {
      skip(path, error.message, isNamed: isNamed)
    }
  }

  private mutating func skip(_ path: String, _ reason: String, isNamed: Bool) {
    hasFailed = hasFailed || isNamed
    report.skipped.append(.init(path: path, reason: reason))
  }

  /// Whether the next file may do better.
  private static func isAboutFile(_ error: KeepsakeError) -> Bool {
    [.refused, .invalid, .tooLarge, .conflict, .outOfRange, .diverged].contains(error.code)
  }
}

/// The files in a folder and below, but for what is hidden, links, and stores.
private struct FilesBelow {
  private(set) var paths: [String] = []
  private(set) var unreadable: [ImportReport.Skipped] = []

  init(_ folder: Directory) { add(folder) }

  private mutating func add(_ folder: Directory) {
    do throws(FileError) {
      for name in try folder.names() where !name.hasPrefix(".") {
        guard let status = try folder.status(name) else { continue }
        if status.isRegular { paths.append(folder.path(of: name)) }
        if status.isDirectory, !name.hasSuffix(".keepsake") { add(try folder.subdirectory(name)) }
      }
    } catch {
      unreadable.append(.init(path: error.path, reason: error.message))
    }
  }
}
