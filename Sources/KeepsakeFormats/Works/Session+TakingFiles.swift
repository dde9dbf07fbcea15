#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles
public import Keepsake

extension Session {
  /// Attaches the files that the session's tool calls wrote or named, where the files still are what the calls made.
  ///
  /// Paths in calls are not trusted: only files in the given folders are opened. A file is attached only where its
  /// content follows from the calls, or where it last changed while a call that names it ran. It is attached to the
  /// output of the call, with the path as its reference. A relative path is looked for in each of the folders. Taking
  /// files again adds nothing.
  ///
  /// The whole session is read, and each named file that exists.
  /// - Parameter folders: The folders whose files may be opened.
  /// - Returns: The files that were attached, and counts of the others.
  /// - Throws: `KeepsakeError`, when a folder can't be opened, or the store can't take a file.
  @concurrent
  public func takeFiles(from folders: [URL]) async throws -> TakenFiles {
    var namings = FileNamings(answers: try await answers())
    for try await entry in entries { namings.add(entry) }
    var taken = TakenFiles()
    guard !namings.all.isEmpty else { return taken }
    let allowed = try IntakeFolders(folders)
    let known = Set(try await attachments().compactMap(KnownFile.init))
    var order: [String] = []
    var byPath: [String: [FileNamings.Naming]] = [:]
    for naming in namings.all {
      if byPath[naming.work.path] == nil { order.append(naming.work.path) }
      byPath[naming.work.path, default: []].append(naming)
    }
    for path in order {
      try Task.checkCancellation()
      let finding = try Finding(path, namings: byPath[path] ?? [], below: folders, allowed, &taken)
      guard let finding else { continue }
      let call = finding.naming.call
      if known.contains(KnownFile(path: path, callID: call.id, artifact: finding.artifact)) {
        taken.known += 1
        continue
      }
      var new = Entry.NewAttachment(
        finding.file.source, fileName: path.split(separator: "/").last.map(String.init),
        madeBy: .toolCall(call))
      new.reference = path
      new.basis = finding.basis
      let position = finding.naming.output ?? finding.naming.position
      let attachment = try await attach(new, to: position)
      taken.files.append(
        .init(
          path: path, session: id, position: position, label: attachment.label,
          artifact: attachment.artifact?.id ?? finding.artifact, size: finding.file.size,
          tool: call.tool, basis: finding.basis))
    }
    return taken
  }
}

/// A file that was attached earlier, as its attachment tells.
private struct KnownFile: Hashable {
  let path: String
  let callID: String
  let artifact: Artifact.ID

  init(path: String, callID: String, artifact: Artifact.ID) {
    self.path = path
    self.callID = callID
    self.artifact = artifact
  }

  init?(_ attachment: Entry.Attachment) {
    guard let path = attachment.reference, let callID = attachment.callID,
      let artifact = attachment.artifact
    else { return nil }
    self.init(path: path, callID: callID, artifact: artifact.id)
  }
}

/// A file that exists, with the call that made its content.
private struct Finding {
  let file: IntakeFile
  let artifact: Artifact.ID
  let naming: FileNamings.Naming
  let basis: Entry.Attachment.Basis

  /// Looks for the file of a path; nil where it is not to be attached, for a reason that is noted.
  init?(
    _ path: String, namings: [FileNamings.Naming], below folders: [URL], _ allowed: IntakeFolders,
    _ taken: inout TakenFiles
  ) throws {
    let places = path.hasPrefix("/") ? [path] : folders.map { "\($0.path)/\(path)" }
    guard places.contains(where: allowed.contains) else { return nil }
    guard let file = try Self.open(path, at: places, allowed, &taken) else {
      let deed = namings.last?.work.deed
      if deed != .name, deed != .remove, taken.refused.last?.path != path { taken.gone += 1 }
      return nil
    }
    var digest: SHA256Digest?
    var found: (naming: FileNamings.Naming, basis: Entry.Attachment.Basis)?
    // The newest call that the content follows from made the file, else the newest call whose time fits.
    for naming in namings.reversed() where found?.basis != .inferred {
      let basis = try naming.basis(ofFileOf: file.size, modified: file.modified) {
        if let digest { return digest }
        let new = try file.digest()
        digest = new
        return new
      }
      if let basis, found == nil || basis == .inferred { found = (naming, basis) }
    }
    guard let found else {
      if namings.contains(where: { $0.work.deed != .name }) { taken.changed += 1 }
      return nil
    }
    (naming, basis) = found
    self.file = file
    artifact = Artifact.ID(try digest ?? file.digest())
  }

  /// Opens the file of a path; nil where the folders hold none. A file that can't be read is noted.
  private static func open(
    _ path: String, at places: [String], _ allowed: IntakeFolders, _ taken: inout TakenFiles
  ) throws -> IntakeFile? {
    for place in places {
      do {
        if let file = try allowed.file(at: place) { return file }
      } catch let error as KeepsakeError {
        taken.refused.append(.init(path: path, reason: error.message))
      }
    }
    return nil
  }
}
