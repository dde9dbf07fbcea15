#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// The artifacts of one store: small ones in rows, large ones in immutable files named by their digest.
final class Artifacts: Sendable {
  let layout: StoreLayout
  private let database: Database
  private let liveness: Liveness
  /// The status of each file whose bytes this process has checked, by the artifact's number.
  let checked = Locked<[Int64: FileStatus]>([:])
  /// The status of each cached copy whose bytes this process has checked or written, by its path in the cache.
  let checkedCopies = Locked<[String: FileStatus]>([:])
  let alarms = RowAlarms()
  /// The number of threads that help to take in bytes at this moment.
  let helpers = Locked(0)

  /// Tells whether the store has no artifact yet; nil until one is kept.
  let keepsFirst = Locked<Bool?>(nil)

  private let folders = Locked<[String: Directory]>([:])
  /// The names of the subfolders of `artifacts/` that are certainly durable.
  private let durableShards = Locked<Set<String>>([])
  /// Tells whether this process has put a file into the store.
  var hasKeptFiles: Bool { durableShards.withLock { !$0.isEmpty } }

  init(_ layout: StoreLayout, database: Database, liveness: Liveness) {
    self.layout = layout
    self.database = database
    self.liveness = liveness
  }

  /// Returns the folder and the file name of a large artifact; the folder holds the digests with the same first byte.
  func shard(of digest: SHA256Digest) throws -> (folder: Directory, file: String) {
    let (name, file) = Self.place(of: digest)
    return (try folder(StoreLayout.artifacts).subdirectory(name), file)
  }

  /// Returns the folder and the file name of a large artifact, and makes the folder if needed.
  ///
  /// A new folder is durable only after `artifacts/` was synced.
  func madeShard(of digest: SHA256Digest) throws -> (folder: Directory, file: String) {
    try folder(StoreLayout.artifacts).makeFolder(Self.place(of: digest).shard)
    return try shard(of: digest)
  }

  private static func place(of digest: SHA256Digest) -> (shard: String, file: String) {
    let hex = digest.hex
    return (String(hex.prefix(2)), String(hex.dropFirst(2)))
  }

  /// Returns one of the store's folders, which is opened once.
  func folder(_ name: String) throws -> Directory {
    try folders.withLock { folders throws in
      if let known = folders[name] { return known }
      let opened = try Self.open(name, in: layout.folder, create: true)
      folders[name] = opened
      return opened
    }
  }

  /// Opens a folder, and creates it only if it is missing, because creating one syncs the parent folder.
  static func open(_ name: String, in parent: Directory, create: Bool) throws -> Directory {
    let isThere = try !create || parent.exists(name)
    return try parent.subdirectory(name, create: !isThere)
  }
}

// MARK: - Finding

extension Artifacts {
  func artifact(number: Int64, handle: StoreHandle, in db: Tables) throws -> Artifact {
    guard let row = try db.artifacts.row(number: number) else {
      throw KeepsakeError(
        .damaged,
        "Artifact \(number) is named by an attachment and is not there.", remedy: .verify)
    }
    return row.value(handle)
  }

  func row(_ digest: SHA256Digest, in db: Tables) throws -> ArtifactRow? {
    try db.artifacts.row(digest)
  }

  /// The state of an artifact's bytes in the store.
  enum Holding {
    /// The store has the bytes, and they were checked now or before.
    case right(ArtifactRow)
    /// The store should have the bytes, but they were altered or are gone.
    case wrong(any Error)
    case nothing
  }

  func holding(_ digest: SHA256Digest) throws -> Holding {
    let found = try database.read { try $0.artifacts.checkedRow(digest) }
    guard let (row, damage) = found else { return .nothing }
    if let damage { return .wrong(damage) }
    guard row.place == .file else { return .right(row) }
    do {
      try withFile(digest: digest, size: row.size, number: row.number) { _ in }
      return .right(row)
    } catch let error as FileError where error.code == .notFound {
      return .wrong(Artifact.missing(Artifact.ID(digest)))
    } catch let error as FileError where error.code == .notRegular || error.code == .link {
      return .wrong(Artifact.altered(Artifact.ID(digest)))
    } catch { return .wrong(error) }
  }

  /// Returns the row of an artifact whose bytes are right in the store; nil if the bytes have to be written.
  private func held(_ digest: SHA256Digest) throws -> ArtifactRow? {
    guard case .right(let row) = try holding(digest) else { return nil }
    return row
  }

  /// Returns the digests of the large artifacts of a size, up to a limit; hashing before writing is worthwhile only with any.
  private func sized(_ size: Int64) throws -> [SHA256Digest] {
    try database.read {
      try $0.artifacts.largeDigests(ofSize: size, limit: Self.probedFiles + 1)
    }
  }

  /// Returns whether the store may have a large artifact with the same size and the same bytes in a few samples.
  private func mayHold(size: Int64, reading read: (_ offset: Int64, _ count: Int) throws -> [UInt8])
    throws -> Bool
  {
    let alike = try sized(size)
    if alike.isEmpty { return false }
    // Opening many files would cost more than it saves.
    guard alike.count <= Self.probedFiles else { return true }
    // Files of the same format may begin alike and end with padding, so the middle is compared as well.
    let offsets = [0, size / 2, size - Int64(Self.probeSize)]
    let probes = try offsets.map { try read($0, Self.probeSize) }
    return try alike.contains { digest in
      do {
        let (folder, name) = try shard(of: digest)
        let file = try folder.openFile(name, for: .reading)
        var bytes = [UInt8](repeating: 0, count: Self.probeSize)
        return try zip(offsets, probes).allSatisfy { offset, probe in
          try file.read(into: &bytes, at: offset) == probe.count && bytes == probe
        }
      } catch is FileError {
        // A file that can't be read counts as missing, so that its bytes are written again.
        return false
      }
    }
  }

  private static let probedFiles = 16
  private static let probeSize = 4096

  /// Returns whether the artifact's file looks as it did when this process last checked its bytes.
  func isChecked(_ row: ArtifactRow) throws -> Bool {
    guard let known = checked.withLock({ $0[row.number] }) else { return false }
    guard let (folder, name) = try? shard(of: row.digest) else { return false }
    return try folder.status(name) == known
  }
}

// MARK: - Taking in

extension Artifacts {
  /// Hashes a source, and writes a large one to `incoming/` and syncs it.
  func prepare(_ source: ArtifactSource) async throws -> PreparedArtifact {
    if let prepared = try prepareNow(source) { return prepared }
    guard case .chunks(let chunks) = source.origin else {
      preconditionFailure("Only chunks are waited for")
    }
    do { return try await prepare(chunks) } catch { throw told(error) }
  }

  /// Prepares a source like ``prepare(_:)``, but blocks the thread; nil for chunks, which only the other can wait for.
  func prepareNow(_ source: ArtifactSource) throws -> PreparedArtifact? {
    do { return try prepare(source.origin) } catch { throw told(error) }
  }

  /// Wraps the store's own errors; an error of the caller's sequence of chunks is thrown as it is.
  private func told(_ error: any Error) -> any Error {
    switch error {
    // If the store's folder was replaced, the error of a single file would not help anybody.
    case is FileError where layout.isReplaced: KeepsakeError.replaced(layout.path)
    case is FileError: KeepsakeError.wrap(error, store: layout.path)
    default: KeepsakeError.database(error, store: layout.path) ?? error
    }
  }

  private func prepare(_ origin: ArtifactSource.Origin) throws -> PreparedArtifact? {
    switch origin {
    case .bytes(let bytes): return try prepare(bytes)
    case .data(let data): return try prepare([UInt8](data))
    case .base64(let text):
      return try prepare(DataURL.isOne(text) ? DataURL.decode(text) : Base64.decode(text))
    case .text(let text): return try prepare(text)
    case .spelled(let text, let spelling): return try prepare(text, spelling)
    case .file(let path):
      return try prepare(OutsideFile.open(path))
    case .descriptor(let file):
      return try file.use { try prepare($0, limit: file.limit) }
    case .pieces(_, let hand):
      let spill = Spill()
      try hand { try spill.take($0) { try newIncoming() } }
      return try prepared(spill)
    case .chunks: return nil
    case .known(let id):
      switch try holding(id.digest) {
      case .right(let row): return known(row)
      case .wrong(let error): throw error
      case .nothing:
        throw KeepsakeError(
          .notFound, "The store does not hold \(id). Attach its bytes instead.",
          object: id.description)
      }
    }
  }

  private func known(_ row: ArtifactRow) -> PreparedArtifact {
    PreparedArtifact(
      digest: row.digest, size: row.size,
      sniffedType: MediaType(row.type ?? "application/octet-stream"), pixelSize: row.pixels,
      content: .known)
  }

  private func prepare(_ bytes: [UInt8]) throws -> PreparedArtifact {
    if bytes.count <= Artifact.inlineLimit {
      return PreparedArtifact(inline: bytes)
    }
    let isKnown = try mayHold(size: Int64(bytes.count)) { offset, count in
      Array(bytes[Int(offset)..<Int(offset) + count])
    }
    if isKnown, let row = try held(SHA256.digest(of: bytes)) { return known(row) }
    let (name, folder) = try newIncoming()
    var writer = try IngestWriter(directory: folder, name: name)
    try writer.write(bytes)
    return try prepared(writer.finish(), name: name, in: folder)
  }

  /// Prepares a text piece by piece, so that a large text is not in memory twice.
  private func prepare(_ text: String) throws -> PreparedArtifact {
    let units = text.utf8
    func piece(_ offset: Int, _ count: Int) -> [UInt8] {
      let start = units.index(units.startIndex, offsetBy: offset)
      return Array(units[start..<units.index(start, offsetBy: count)])
    }
    let size = units.count
    if size <= Artifact.inlineLimit { return try prepare(Array(units)) }
    let isKnown = try mayHold(size: Int64(size)) { piece(Int($0), $1) }
    if isKnown, let row = try held(LargeText.id(of: text).digest) { return known(row) }
    let (name, folder) = try newIncoming()
    var writer = try IngestWriter(directory: folder, name: name)
    for offset in stride(from: 0, to: size, by: 1 << 20) {
      try writer.write(piece(offset, min(1 << 20, size - offset)))
    }
    return try prepared(writer.finish(), name: name, in: folder)
  }

  /// Prepares base64 and decodes it while writing, so that a large artifact is not in memory twice.
  private func prepare(_ text: ArraySlice<UInt8>, _ spelling: Base64Spelling) throws
    -> PreparedArtifact
  {
    let size = spelling.size(of: text)
    if size > Artifact.inlineLimit, try !sized(Int64(size)).isEmpty {
      var hash = SHA256()
      _ = spelling.decode(text) { hash.update($0) }
      if let row = try held(hash.finalize()) { return known(row) }
    }
    let spill = Spill()
    _ = try spelling.decode(text) { try spill.take($0) { try newIncoming() } }
    return try prepared(spill)
  }

  private func prepare(_ file: borrowing FileDescriptor, limit: Int64? = nil) throws
    -> PreparedArtifact
  {
    let status = try file.status()
    guard status.isRegular else {
      throw KeepsakeError(
        .refused, "Can't keep '\(file.path)': it is not a regular file.", object: file.path)
    }
    if status.size <= Int64(Artifact.inlineLimit) {
      return PreparedArtifact(inline: try readWhole(file, status))
    }
    if try mayHold(size: status.size, reading: { try Self.read($1, of: file, at: $0) }) {
      let (digest, _) = try Ingest.hash(file)
      if let row = try held(digest) { return known(row) }
    }
    let (name, folder) = try newIncoming()
    let ingested = try Ingest.copy(
      from: file, to: folder, name: name, limit: limit, mode: 0o400)
    return try prepared(ingested, name: name, in: folder)
  }

  /// Reads a small file from its beginning, because a source may be taken in more than once; throws if the file changes.
  private func readWhole(_ file: borrowing FileDescriptor, _ status: FileStatus) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(status.size) + 1)
    let count = try file.read(into: &bytes, at: 0)
    let after = try file.status()
    guard count == status.size, after.size == status.size, after.modified == status.modified else {
      throw KeepsakeError(
        .refused,
        "Can't keep '\(file.path)': it changed while it was read. Try again when nothing writes to it.",
        object: file.path)
    }
    bytes.removeLast()
    return bytes
  }

  private func prepare(
    _ chunks: (_ take: ([UInt8]) throws -> Void) async throws -> Void
  ) async throws -> PreparedArtifact {
    let spill = Spill()
    try await chunks { chunk in
      try spill.take(chunk) { try newIncoming() }
    }
    return try prepared(spill)
  }

  private func prepared(_ spill: Spill) throws -> PreparedArtifact {
    guard let file = spill.takeFile() else { return PreparedArtifact(inline: spill.small) }
    return try prepared(file.writer.finish(), name: file.name, in: file.folder)
  }

  private func newIncoming() throws -> (name: String, folder: Directory) {
    (
      IncomingFile.newName(owner: try liveness.id()),
      try folder(StoreLayout.incoming)
    )
  }

  private func prepared(
    _ ingested: (digest: SHA256Digest, size: Int64, head: [UInt8]), name: String,
    in folder: Directory
  ) throws -> PreparedArtifact {
    let incoming = IncomingFile(name: name, in: folder)
    return PreparedArtifact(
      digest: ingested.digest, size: ingested.size,
      sniffedType: MediaType.sniff(head: ingested.head, size: ingested.size),
      pixelSize: try pixelSize(of: name, in: folder, head: ingested.head),
      content: .file(incoming))
  }

  private func pixelSize(of name: String, in folder: Directory, head: [UInt8]) throws -> PixelSize?
  {
    // Most files are not images, or show their pixel size in the first bytes, so the file is rarely opened again.
    try PixelSize(
      head: head,
      reading: { try Self.read($1, of: folder.openFile(name, for: .reading), at: $0) })
  }

  /// Reads bytes at an offset; the result is shorter at the end of the file.
  private static func read(_ count: Int, of file: borrowing FileDescriptor, at offset: Int64) throws
    -> [UInt8]
  {
    var bytes = [UInt8](repeating: 0, count: count)
    bytes.removeSubrange(try file.read(into: &bytes, at: offset)...)
    return bytes
  }
}

extension PreparedArtifact {
  fileprivate init(inline bytes: [UInt8]) {
    let head = Array(bytes.prefix(4096))
    self.init(
      digest: SHA256.digest(of: bytes), size: Int64(bytes.count),
      sniffedType: MediaType.sniff(head: head, size: Int64(bytes.count)),
      pixelSize: PixelSize(head: bytes), content: .row(bytes))
  }
}

// MARK: - Keeping

extension Artifacts {
  /// Makes prepared bytes an artifact of the store, inside of a write transaction that refers to it.
  ///
  /// A large artifact's file is renamed into place, and the folder is synced before the commit. A crash leaves a file without a
  /// row, and never a row without bytes.
  func keep(_ prepared: PreparedArtifact, handle: StoreHandle, in change: Change) throws -> Artifact
  {
    let db = change.db
    if let row = try row(prepared.digest, in: db) {
      return try restored(row, from: prepared, at: handle.now(), in: change).value(handle)
    }
    let isFirst = try isKeepingFirst(in: change)
    let place: Artifact.Place
    switch prepared.content {
    case .row: place = .row
    case .file(let incoming):
      if isFirst { try noteFirstFile(prepared.digest, in: change) }
      try self.place(incoming, prepared.digest, in: change)
      // Without a row any process could sweep the file away, and the request may run again.
      change.ifItFails { self.takeBack(incoming, prepared.digest) }
      place = .file
    case .known: throw vanished(prepared.digest)
    }
    let number = try db.artifacts.insert(
      prepared.digest, size: prepared.size, place: place, created: handle.now(),
      type: prepared.sniffedType, pixels: prepared.pixelSize)
    if case .row(let bytes) = prepared.content {
      try db.artifacts.insert(bytes: bytes, of: number)
    }
    return Artifact(
      id: Artifact.ID(prepared.digest), size: prepared.size, sniffedType: prepared.sniffedType,
      pixelSize: prepared.pixelSize,
      home: Artifact.Home(store: handle.store, number: number, place: place))
  }

  func vanished(_ digest: SHA256Digest) -> KeepsakeError {
    KeepsakeError(
      .notFound,
      "\(Artifact.ID(digest)) was removed while it was attached again. Try again.",
      object: Artifact.ID(digest).description, cause: ArtifactVanished())
  }

  /// Moves a file back to `incoming/` after a failed transaction; if that fails, a sweep removes it.
  private func takeBack(_ incoming: IncomingFile, _ digest: SHA256Digest) {
    guard let (shard, name) = try? shard(of: digest) else { return }
    try? incoming.moveBack(from: shard, as: name)
  }

  /// Renames a file into place, where it stays if the commit fails, until the request runs again or a sweep removes it.
  ///
  /// The folder is synced right before the commit, together with the other folders: the first sync usually writes the names of
  /// all folders to the disk, and the other syncs have little to do.
  func place(_ incoming: IncomingFile, _ digest: SHA256Digest, in change: Change) throws {
    let root = try folder(StoreLayout.artifacts)
    let (name, file) = Self.place(of: digest)
    // An existing folder counts as new, because the process that made it may have ended before the sync.
    if try !durableShards.withLock({ $0.contains(name) }) || !root.exists(name) {
      try root.makeFolder(name)
      change.beforeCommit(StoreLayout.artifacts) { try root.sync() }
      change.afterCommit { self.durableShards.withLock { _ = $0.insert(name) } }
    }
    let shard = try root.subdirectory(name)
    do { try incoming.move(to: shard, as: file) } catch {
      guard try shard.status(file)?.isDirectory == true else { throw error }
      // A foreign folder at the artifact's name may have content, so it is moved aside and not removed.
      try shard.rename(file, to: shard, as: "\(file).displaced-\(UUID().text)")
      try incoming.move(to: shard, as: file)
    }
    // The folder is opened again at the commit, because a commit may need more folders than a process may have open.
    change.beforeCommit("\(StoreLayout.artifacts)/\(name)") { try root.subdirectory(name).sync() }
  }
}
