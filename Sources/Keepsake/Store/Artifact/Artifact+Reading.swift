#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles

extension Artifact {
  /// Reads all bytes and checks them against the artifact's id.
  ///
  /// A large file is checked when this process first reads it, and again whenever the file looks different. A small artifact is
  /// checked again after any write to the store.
  /// - Returns: The exact bytes.
  /// - Throws: A ``KeepsakeError`` with the code `artifactDamaged` or `artifactMissing` if the bytes were altered or removed.
  @concurrent
  public func data() async throws -> Data { try data(at: whole) }

  /// Passes all bytes to a closure, checked against the artifact's id, without copying them into a `Data`.
  ///
  /// - Parameter body: A closure that reads the bytes.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, or the errors of ``data()``.
  @concurrent
  public func withBytes<Result>(_ body: (RawSpan) throws -> Result) async throws -> Result {
    try data(at: whole).withBytes(body)
  }

  /// Reads a range of the bytes; the first such read of a large artifact reads and checks all of its bytes.
  ///
  /// - Parameter range: The range, within the artifact's size.
  /// - Returns: The bytes of the range.
  /// - Throws: A ``KeepsakeError`` with the code `outOfRange`, or the errors of ``data()``.
  @concurrent
  public func data(in range: Range<Int64>) async throws -> Data { try data(at: range) }

  /// Reads the bytes in pieces, for artifacts that are larger than memory; all bytes are checked before the first piece.
  ///
  /// - Parameter size: The number of bytes in a piece.
  /// - Returns: A sequence of pieces, which throws the errors of ``data()``.
  public func chunks(of size: Int = 1 << 20) -> Chunks {
    Chunks(artifact: self, size: max(1, size))
  }

  /// The bytes of an artifact as an asynchronous sequence of pieces.
  public struct Chunks: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    let artifact: Artifact
    let size: Int

    public func makeAsyncIterator() -> Iterator {
      Iterator(pieces: Pieces(artifact, size: size))
    }

    /// Reads the pieces of an artifact in order.
    public struct Iterator: AsyncIteratorProtocol {
      var pieces: Pieces

      @concurrent
      public mutating func next() async throws -> [UInt8]? { try pieces.next() }
    }
  }

  /// The bytes of an artifact in pieces, for code that may block its thread.
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
      // The first piece is read even if the row says that the artifact is empty, because only the bytes prove that.
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
  /// The range of all bytes; empty for an impossible size, which `read` refuses.
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

  /// Reads all bytes as UTF-8 text.
  func text() throws -> String {
    try read(0..<size, fromRow: { String(decoding: Array(copying: $0), as: UTF8.self) }) { file in
      guard let text = try file.text(count: Int(size), at: 0) else { throw Artifact.altered(id) }
      return text
    }
  }

  private func data(at range: Range<Int64>) throws -> Data {
    // If all bytes are wanted, the cached `Data` itself is given, because changing it makes a copy.
    let kept: ((Data) -> Data)? = range == whole ? { $0 } : nil
    return try read(range, fromRow: { Data(copying: $0) }, fromKept: kept) { file in
      let data = try file.data(count: range.count, at: range.lowerBound)
      guard data.count == range.count else { throw Artifact.altered(id) }
      return data
    }
  }

  /// Reads a range from the row or the file that holds the bytes.
  ///
  /// - Parameters:
  ///   - range: The range of bytes.
  ///   - fromRow: Makes the result from bytes in SQLite's memory.
  ///   - fromKept: Makes the result from all cached bytes, where that is cheaper than copying the range.
  ///   - fromFile: Makes the result from a file.
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
    let store = home.open
    switch home.place {
    case .row:
      // The closure captures single values, because capturing the artifact would retain and release each of its parts.
      return try store.readEach { [id, size, number = home.number, store] db in
        try db.artifacts.withBytes(
          of: number, id, size: size, alarms: store.artifacts.alarms, fromKept: fromKept
        ) { fromRow($0.extracting(Int(range.lowerBound)..<Int(range.upperBound))) }
      }
    case .file:
      try store.requireOpen()
      do {
        return try store.artifacts.withFile(
          digest: id.digest, size: size, number: home.number, fromFile)
      } catch let error as FileError where error.code == .notFound {
        throw Artifact.missing(id)
      } catch let error as FileError where error.code == .notRegular || error.code == .link {
        throw Artifact.altered(id)
      } catch { throw KeepsakeError.wrap(error, store: store.layout.path) }
    }
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
  /// Opens an artifact's file for a closure, and checks its bytes as ``openChecked(digest:size:number:)`` does.
  func withFile<Result>(
    digest: SHA256Digest, size: Int64, number: Int64,
    _ body: (borrowing FileDescriptor) throws -> Result
  ) throws -> Result {
    let file = try openChecked(digest: digest, size: size, number: number)
    return try body(file)
  }

  /// Opens an artifact's file, and checks its bytes unless this process did so and the file looks unchanged.
  func openChecked(digest: SHA256Digest, size: Int64, number: Int64) throws -> FileDescriptor {
    let (folder, name) = try shard(of: digest)
    let file = try folder.openFile(name, for: .reading)
    let status = try file.status()
    if checked.withLock({ $0[number] }) != status {
      guard status.size == size, try Ingest.hash(file).digest == digest else {
        throw Artifact.altered(Artifact.ID(digest))
      }
      checked.withLock { $0[number] = status }
    }
    return file
  }
}

extension Entry.Attachment {
  /// Reads all bytes of the attachment's artifact and checks them against its id.
  ///
  /// - Returns: The exact bytes.
  /// - Throws: A ``KeepsakeError`` with the code `artifactMissing` for an attachment without bytes, or the errors of
  ///   ``Artifact/data()``.
  @concurrent
  public func data() async throws -> Data { try await present().data() }

  /// Reads the bytes of the attachment's artifact in pieces.
  ///
  /// - Parameter size: The number of bytes in a piece.
  /// - Returns: A sequence of pieces.
  /// - Throws: A ``KeepsakeError`` with the code `artifactMissing` for an attachment without bytes.
  public func chunks(of size: Int = 1 << 20) throws -> Artifact.Chunks {
    try present().chunks(of: size)
  }

  /// Returns the URL of a file with the artifact's bytes and the right extension, for players, viewers and web views.
  ///
  /// The file is a read-only copy in the store's cache, which is made again when it is missing. Don't keep the URL; ask again.
  /// - Returns: The URL of the copy.
  /// - Throws: A ``KeepsakeError`` with the code `artifactMissing` for an attachment without bytes, or the errors of
  ///   ``Artifact/data()``.
  @concurrent
  public func fileURL() async throws -> URL {
    let artifact = try present()
    guard let store = artifact.home?.open else {
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
