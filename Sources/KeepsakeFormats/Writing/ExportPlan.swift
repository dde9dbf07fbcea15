#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// The files that an export of sessions writes, and their places.
struct ExportPlan {
  /// A file of the export, with the sessions in it.
  struct File {
    let sessions: [Session]
    let name: String
    let url: URL
  }

  let folder: Directory
  private(set) var files: [File] = []
  /// The name of the file that lists the others; nil where there is none.
  private(set) var list: String?
  /// The folder that was made for this export; nil where it existed before.
  private let made: (parent: Directory, name: String)?

  /// - Parameters:
  ///   - sessions: The sessions that are exported.
  ///   - codec: The codec of the format.
  ///   - url: The file, or the folder in which the files' names are chosen here.
  init(_ sessions: [Session], _ codec: any Codec.Type, to url: URL) async throws {
    let format = codec.format
    let isTogether = sessions.count == 1 || codec is any CollectionCodec.Type
    guard try !isTogether || url.hasDirectoryPath || Self.isFolder(url) else {
      folder = try ExportFile.cleared(OutsideFile.folder(url.deletingLastPathComponent().path))
      made = nil
      files = [File(sessions: sessions, name: url.lastPathComponent, url: url)]
      return
    }
    let opened = try Self.opened(url)
    folder = ExportFile.cleared(opened.0)
    made = opened.made
    var names: Set<String> = []
    if !isTogether, let codec = codec as? any ListingCodec.Type {
      list = codec.listName
      names.insert(codec.listName)
    }
    for sessions in isTogether ? [sessions] : sessions.map({ [$0] }) {
      let name = try await Self.name(of: sessions, format, among: &names)
      files.append(
        File(
          sessions: sessions, name: name,
          url: url.appending(path: name, directoryHint: .notDirectory)))
    }
  }

  /// Throws where a file would replace something that may not be replaced, before the first file is written.
  func requireFree(artifacts: ExportOptions.Artifacts?, replacing mayReplace: Bool) throws {
    for file in files {
      try ExportFile.requireFree(
        file.name, in: folder, artifacts: artifacts, replacing: mayReplace)
    }
    if let list {
      try ExportFile.requireFree(list, in: folder, artifacts: .files, replacing: mayReplace)
    }
  }

  /// Removes the folder that was made for this export, unless something is in it.
  func giveUp() throws {
    if let made, try folder.names().isEmpty { try made.parent.removeTree(made.name) }
  }

  // MARK: - Places and names

  private static func isFolder(_ url: URL) throws(FileError) -> Bool {
    do throws(FileError) {
      _ = try Directory(path: url.path)
      return true
    } catch {
      guard error.code == .notFound || error.code == .notDirectory else { throw error }
      return false
    }
  }

  /// Opens the folder, and makes it where nothing is there.
  private static func opened(_ url: URL) throws(FileError) -> (
    Directory, made: (parent: Directory, name: String)?
  ) {
    do throws(FileError) { return (try OutsideFile.folder(url.path), nil) } catch {
      guard error.code == .notFound else { throw error }
      let parent = try OutsideFile.folder(url.deletingLastPathComponent().path)
      let name = url.lastPathComponent
      return (try parent.subdirectory(name, create: true, mode: 0o777), (parent, name))
    }
  }

  /// The name of a file: the session's title, and enough of the id to tell it from other sessions with the title.
  private static func name(
    of sessions: [Session], _ format: Format, among names: inout Set<String>
  ) async throws -> String {
    let ending = format.fileExtensions.first.map { ".\($0)" } ?? ""
    guard sessions.count == 1 else { return "sessions\(ending)" }
    let id = sessions[0].id.text
    let title = try await sessions[0].summary().title.flatMap(CopyName.stem(ofTitle:)) ?? "session"
    var name = "\(title)-\(id.prefix(8))\(ending)"
    if !names.insert(name.lowercased()).inserted { name = "\(title)-\(id)\(ending)" }
    return name
  }
}
