import KeepsakeFiles

/// The state of an archive that is being unpacked.
struct Unpacking {
  private let reader: ArchiveReader
  private let folder: Directory
  /// The size of the archive itself, in bytes.
  private let packed: Int64
  private let limits: UnpackingLimits
  private(set) var files: [UnpackedFolder.File] = []
  private(set) var refused: [UnpackedFolder.Refused] = []
  private var members = 0
  private var bytes: Int64 = 0
  /// The number of unpacked bytes at which the disk's free space is checked again.
  private var nextLook: Int64 = 0
  /// The paths that are taken, by file or by folder.
  private var taken: [String: Taken] = [:]

  private enum Taken { case file, folder }

  /// The number of unpacked bytes between checks of the disk's free space.
  private static let look: Int64 = 16 << 20

  init(
    _ reader: ArchiveReader, into folder: Directory, packed: Int64, _ limits: UnpackingLimits
  ) {
    self.reader = reader
    self.folder = folder
    self.packed = packed
    self.limits = limits
  }

  /// Unpacks the content of a compressed file.
  mutating func takeContent(_ name: String, _ step: (Int64) throws -> Void) throws {
    guard let member = try reader.next() else { throw ArchiveError(.damaged, "it ends early") }
    try place(member, [name], step)
  }

  /// Unpacks the members of an archive.
  mutating func takeAll(_ step: (Int64) throws -> Void) throws {
    do {
      while let member = try reader.next() { try take(member, step) }
    } catch let error as ArchiveError where error.code == .damaged {
      guard !files.isEmpty else {
        throw ArchiveError(.damaged, error.reason, member: refused.last?.name)
      }
      refused.append(
        .init(name: nil, reason: "What comes behind could not be read: \(error.reason)."))
    }
  }

  private mutating func take(_ member: ArchiveMember, _ step: (Int64) throws -> Void) throws {
    members += 1
    guard members <= limits.members else {
      throw ArchiveError(.tooLarge, "there are more than \(limits.members) files in it")
    }
    try step(reader.position)
    if let objection = member.objection {
      // A person who has the password can unpack the whole archive, so it is refused as a whole.
      if objection.code == .encrypted { throw objection }
      return refuse(member, "\(Self.sentence(objection.reason)).")
    }
    let path: MemberPath
    do throws(MemberPath.Refusal) {
      path = try MemberPath(member.name, depth: limits.depth)
      try claim(path, member.kind)
    } catch {
      return refuse(member, error.reason)
    }
    guard member.kind == .file else { return }
    do { try place(member, path.names, step) } catch let error as ArchiveError
      where error.code == .damaged
    {
      refuse(member, "\(Self.sentence(error.reason)).")
    }
  }

  private mutating func refuse(_ member: ArchiveMember, _ reason: String) {
    refused.append(.init(name: member.name, reason: reason))
  }

  private static func sentence(_ reason: String) -> String {
    reason.prefix(1).uppercased() + reason.dropFirst()
  }

  /// Reserves the path of a member; throws where another member is in its way.
  private mutating func claim(
    _ path: MemberPath, _ kind: ArchiveMember.Kind
  ) throws(MemberPath.Refusal) {
    guard kind == .file || kind == .folder else {
      throw MemberPath.Refusal(
        reason: kind == .link
          ? "It is a link, which is not followed." : "It is neither a file nor a folder.")
    }
    for count in 1..<path.names.count where taken[MemberPath.key(path.names.prefix(count))] == .file
    {
      throw MemberPath.Refusal(reason: "A file has the name of a folder that it lies in.")
    }
    let key = MemberPath.key(path.names)
    switch (taken[key], kind) {
    case (nil, _), (.folder, .folder): break
    case (.file, _):
      throw MemberPath.Refusal(
        reason:
          "A file of the same name came before it, or of one that differs by upper and lower case alone."
      )
    case (.folder, _): throw MemberPath.Refusal(reason: "A folder has the same name.")
    }
    for count in 1..<path.names.count { taken[MemberPath.key(path.names.prefix(count))] = .folder }
    taken[key] = kind == .file ? .file : .folder
  }

  /// Unpacks a member to its path. A partial file is removed.
  private mutating func place(
    _ member: ArchiveMember, _ names: [String], _ step: (Int64) throws -> Void
  ) throws {
    guard let name = names.last else { return }
    // A member may lie about its size, but one that already declares too much need not be unpacked at all.
    try require(member.size ?? 0, name)
    let folder: Directory
    let file: FileDescriptor
    do throws(FileError) {
      folder = try self.folder(names.dropLast())
      file = try folder.openFile(name, for: .creating(exclusive: true))
    } catch {
      // A disk may treat more names as equal than this code does, or may refuse a name.
      guard [.exists, .invalid, .notDirectory, .link].contains(error.code) else { throw error }
      return refuse(member, "The disk does not take its name. \(error.message)")
    }
    do {
      let size = try write(member, to: file, step)
      files.append(.init(path: folder.path(of: name), names: names, size: size))
    } catch {
      try folder.unlink(name)
      throw error
    }
  }

  /// Opens a folder below the temporary folder, and makes it where needed.
  private func folder(_ names: some Sequence<String>) throws(FileError) -> Directory {
    var folder = folder
    for name in names {
      try folder.makeFolder(name)
      folder = try folder.subdirectory(name)
    }
    return folder
  }

  /// Writes the content of a member to a file.
  /// - Returns: The size of the content.
  private mutating func write(
    _ member: ArchiveMember, to file: borrowing FileDescriptor, _ step: (Int64) throws -> Void
  ) throws -> Int64 {
    var size: Int64 = 0
    try reader.read { piece in
      size += Int64(piece.count)
      try count(piece.count, of: size, member)
      try file.write(all: piece)
      try step(reader.position)
    }
    return size
  }

  /// Counts unpacked bytes; throws where they exceed a limit or the free space.
  private mutating func count(_ count: Int, of size: Int64, _ member: ArchiveMember) throws {
    bytes += Int64(count)
    try requireBelowLimits(bytes, size, member.name)
    guard bytes >= nextLook else { return }
    nextLook = bytes + Self.look
    try requireRoom(Self.look)
  }

  /// Throws where a member of the stated size would exceed a limit or the free space.
  private func require(_ size: Int64, _ name: String) throws {
    guard size >= 0, size <= limits.memberBytes else { throw tooLarge(name) }
    try requireBelowLimits(bytes + size, size, name)
    try requireRoom(size)
  }

  private func requireBelowLimits(_ bytes: Int64, _ size: Int64, _ name: String) throws {
    guard size <= limits.memberBytes else { throw tooLarge(name) }
    guard bytes <= limits.bytes else {
      throw ArchiveError(.tooLarge, "it unpacks to more than \(Self.amount(limits.bytes))")
    }
    // The check divides because a product could overflow.
    guard bytes <= limits.freeOfRatio || bytes / limits.ratio <= packed else {
      throw ArchiveError(
        .tooLarge,
        "it unpacks to more than \(limits.ratio) times its size, as what is made to fill a disk does. If you trust it, unpack it first"
      )
    }
  }

  private func tooLarge(_ name: String) -> ArchiveError {
    ArchiveError(
      .tooLarge, "it unpacks to more than \(Self.amount(limits.memberBytes))",
      member: name.isEmpty ? nil : name)
  }

  private static func amount(_ bytes: Int64) -> String {
    bytes < 1 << 30 ? "\(bytes) bytes" : "\(bytes >> 30) GiB"
  }

  private func requireRoom(_ size: Int64) throws {
    guard try folder.room() - limits.spare >= size else {
      throw ArchiveError(.noSpace, "there is no room for what is in it")
    }
  }
}
