#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

extension Artifact {
  /// All of its bytes, checked against its name.
  ///
  /// A file that was altered or removed is an error, never wrong bytes. A large file is checked when this process first
  /// reads it and again whenever it looks different; what is inline, again after anything was written to the store.
  @concurrent
  public func data() async throws -> Data { try data(at: whole) }

  /// Lends its bytes, checked against its name, without a copy of them as `Data`.
  @concurrent
  public func withBytes<Result>(_ body: (RawSpan) throws -> Result) async throws -> Result {
    try data(at: whole).withBytes(body)
  }

  /// The bytes of a range; the first one of a large artifact reads and checks all of it.
  @concurrent
  public func data(in range: Range<Int64>) async throws -> Data { try data(at: range) }

  /// Its bytes in pieces, so that an artifact larger than memory can be read; checked against its name before the first.
  public func chunks(of size: Int = 1 << 20) -> Chunks {
    Chunks(artifact: self, size: max(1, size))
  }

  /// Its bytes, one piece after the other.
  public struct Chunks: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    let artifact: Artifact
    let size: Int

    public func makeAsyncIterator() -> Iterator {
      Iterator(pieces: Pieces(artifact, size: size))
    }

    public struct Iterator: AsyncIteratorProtocol {
      var pieces: Pieces

      @concurrent
      public mutating func next() async throws -> [UInt8]? { try pieces.next() }
    }
  }

  /// The same, for whoever may block.
  struct Pieces: Sendable {
    private let artifact: Artifact
    private let size: Int64
    private var offset: Int64 = 0
    private var hasBegun = false

    init(_ artifact: Artifact, size: Int) {
      self.artifact = artifact
      self.size = Int64(size)
    }

    mutating func next() throws -> [UInt8]? {
      // The first is read in any case: that there is nothing to read is what the row says, and only its bytes are proof.
      guard !hasBegun || offset < artifact.size else { return nil }
      hasBegun = true
      let end = offset + Swift.min(size, Swift.max(0, artifact.size - offset))
      let piece = try artifact.bytes(in: offset..<end)
      offset = end
      return piece.isEmpty ? nil : piece
    }
  }
}

extension Artifact {
  /// All of it; of a size that can't be, nothing, which is refused where it is read.
  private var whole: Range<Int64> { 0..<Swift.max(0, size) }

  func bytes() throws -> [UInt8] { try bytes(in: whole) }

  func bytes(in range: Range<Int64>) throws -> [UInt8] {
    try read(range, fromRow: { Array(copying: $0) }) { file in
      var bytes = [UInt8](repeating: 0, count: range.count)
      let read = try file.read(into: &bytes, at: range.lowerBound)
      guard read == bytes.count else { throw Artifact.altered(id) }
      return bytes
    }
  }

  /// All of its bytes as the text that they are.
  func text() throws -> String {
    try read(0..<size, fromRow: { String(decoding: Array(copying: $0), as: UTF8.self) }) { file in
      guard let text = try file.text(count: Int(size), at: 0) else { throw Artifact.altered(id) }
      return text
    }
  }

  private func data(at range: Range<Int64>) throws -> Data {
    // All of what is kept is given as it is: who changes it has a copy of its own.
    let kept: ((Data) -> Data)? = range == whole ? { $0 } : nil
    return try read(range, fromRow: { Data(copying: $0) }, fromKept: kept) { file in
      let data = try file.data(count: range.count, at: range.lowerBound)
      guard data.count == range.count else { throw Artifact.altered(id) }
      return data
    }
  }

  /// Reads a range from wherever the bytes are.
  ///
  /// - Parameter fromKept: Makes the result out of all the bytes, where there is a shorter way than from the range.
  private func read<Result>(
    _ range: Range<Int64>, fromRow: (RawSpan) -> Result, fromKept: ((Data) -> Result)? = nil,
    fromFile: (borrowing FileDescriptor) throws -> Result
  ) throws -> Result {
    guard size >= 0 else { throw Artifact.altered(id) }
    guard range.lowerBound >= 0, range.upperBound <= size else {
      throw KeepsakeError(
        .outOfRange,
        "Can't read bytes \(range.lowerBound) to \(range.upperBound) of \(id): it has \(size).",
        object: id.description)
    }
    guard let home else {
      throw KeepsakeError(
        .notFound, "\(id) does not come from an open store. Ask the store for it.",
        object: id.description)
    }
    switch home.place {
    case .row:
      // What it takes of this artifact, and not all of that: a copy keeps and lets go of each of its parts.
      return try home.store.readEach { [id, size, number = home.number, store = home.store] db in
        try Artifact.withRow(
          number, of: id, size: size, in: db, artifacts: store.artifacts, fromKept: fromKept
        ) { fromRow($0.extracting(Int(range.lowerBound)..<Int(range.upperBound))) }
      }
    case .file:
      try home.store.requireOpen()
      do {
        return try home.store.artifacts.withFile(
          digest: id.digest, size: size, number: home.number, fromFile)
      } catch let error as FileError where error.code == .notFound {
        throw Artifact.missing(id)
      } catch let error as FileError where error.code == .notRegular || error.code == .link {
        throw Artifact.altered(id)
      } catch { throw KeepsakeError.wrap(error, store: home.store.layout.path) }
    }
  }

  /// Lends all the bytes of an artifact's row, once they are known to be right.
  private static func withRow<Result>(
    _ number: Int64, of id: ID, size: Int64, in db: Connection, artifacts: Artifacts,
    fromKept: ((Data) -> Result)?, _ body: (RawSpan) -> Result
  ) throws -> Result {
    /// How many there should be is told by the artifact's own row, which may have been altered, too.
    func lend(_ kept: Data) throws -> Result {
      guard kept.count == size else { throw altered(id) }
      return fromKept?(kept) ?? kept.withBytes(body)
    }
    let checked = CheckedRows.of(db)
    let alarms = artifacts.alarms
    let commit = db.newestCommit
    if let kept = checked.bytes(of: number, id.digest, at: commit, alarms: alarms) {
      return try lend(kept)
    }
    let find = try db.prepare("SELECT bytes FROM blob WHERE number = ?")
    find.bind(number)
    guard try find.step() else {
      artifacts.raiseAlarm()
      throw missing(id)
    }
    if checked.isChecked(number, id.digest, in: db, alarms: alarms) {
      // What is asked for again may be so once more.
      if let commit, db.newestCommit == commit {
        let data = Data(copying: find.span(0))
        checked.keep(data, of: number, id.digest, at: commit, alarms: alarms)
        return try lend(data)
      }
    } else if SHA256.digest(of: find.span(0)) == id.digest {
      checked.note(number, id.digest)
    } else {
      artifacts.raiseAlarm()
      // It was removed, and its number given to another, since it was looked up?
      throw try isStored(number, as: id, in: db) ? altered(id) : missing(id)
    }
    guard find.span(0).byteCount == size else { throw altered(id) }
    return body(find.span(0))
  }

  private static func isStored(_ number: Int64, as id: ID, in db: Connection) throws -> Bool {
    let find = try db.prepare("SELECT 1 FROM artifact WHERE number = ? AND digest = ?")
    find.bind(number)
    find.bind(id.digest)
    return try find.step()
  }

  static func altered(_ id: ID) -> KeepsakeError {
    KeepsakeError(
      .artifactDamaged,
      "The bytes of \(id) were altered: they are not the ones that its name promises. Restore them from a backup, or attach the original again.",
      object: id.description)
  }

  static func missing(_ id: ID) -> KeepsakeError {
    KeepsakeError(
      .artifactMissing,
      "The bytes of \(id) are gone from the store. Restore them from a backup, or attach the original again.",
      object: id.description)
  }
}

extension Artifacts {
  /// Opens an artifact's file and checks its bytes, unless that was done in this process and it looks the same.
  func withFile<Result>(
    digest: SHA256Digest, size: Int64, number: Int64,
    _ body: (borrowing FileDescriptor) throws -> Result
  ) throws -> Result {
    let (folder, name) = try shard(of: digest)
    let file = try folder.openFile(name, for: .reading)
    let status = try file.status()
    if checked.withLock({ $0[number] }) != status {
      guard status.size == size, try Ingest.hash(file).digest == digest else {
        throw Artifact.altered(Artifact.ID(digest))
      }
      checked.withLock { $0[number] = status }
    }
    return try body(file)
  }
}

extension Entry.Attachment {
  /// The exact bytes of its artifact.
  @concurrent
  public func data() async throws -> Data { try await present().data() }

  /// Its artifact's bytes in pieces.
  public func chunks(of size: Int = 1 << 20) throws -> Artifact.Chunks {
    try present().chunks(of: size)
  }

  /// A real file with the artifact's bytes, under a name with the right extension, for players, viewers and web views.
  ///
  /// It is a copy in the store's cache, made again when it is not there: don't keep the path, ask again.
  @concurrent
  public func fileURL() async throws -> URL {
    let artifact = try present()
    guard let store = artifact.home?.store else {
      throw KeepsakeError(.notFound, "\(artifact.id) does not come from an open store.")
    }
    try store.requireOpen()
    return try store.artifacts.materialise(
      artifact, as: self, patience: store.options.patience)
  }

  private func present() throws -> Artifact {
    if let artifact { return artifact }
    throw KeepsakeError(
      .artifactMissing,
      "The attachment '\(label)' has no bytes: it is \(state.rawValue).", object: label)
  }
}
