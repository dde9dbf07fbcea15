/// A file that is written and hashed piece by piece, and is removed unless it was finished.
final class IngestFile {
  static let headSize = 4096
  /// The number of bytes after which the disk is told to begin writing.
  static let writeBackStep: Int64 = 8 << 20

  private let directory: Directory
  private let name: String
  private let file: FileDescriptor
  private let line: HashingLine
  private let limit: Int64?
  private let mode: UInt16
  private var piece: HashingLine.Piece?
  private var head: [UInt8] = []
  private var written: Int64 = 0
  private var writtenBack: Int64 = 0
  private var isFinished = false
  private var failure: FileError?

  init(
    directory: Directory, name: String, expected: Int64?, limit: Int64?, mode: UInt16
  ) throws(FileError) {
    file = try directory.openFile(name, for: .creating(exclusive: true), mode: 0o600)
    self.directory = directory
    self.name = name
    self.limit = limit
    self.mode = mode
    line = HashingLine(expected: expected)
  }

  deinit {
    // The error that stopped the writing matters more; a file that can't be removed is swept later.
    if !isFinished { _ = try? directory.unlink(name) }
  }

  var size: Int64 { written + Int64(piece?.count ?? 0) }

  /// Appends bytes, which are copied into pieces of memory.
  func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    var rest = unsafe bytes
    while unsafe !rest.isEmpty {
      let piece = current()
      let count = unsafe min(piece.room.count, rest.count)
      unsafe piece.room.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<count]))
      piece.count += count
      unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      if piece.isFull { try flush() }
    }
  }

  /// Appends the next piece of a source; false at the source's end.
  func fill(
    from source: borrowing FileDescriptor, at offset: Int64?
  ) throws(FileError) -> Bool {
    let piece = current()
    piece.count += try unsafe source.readFully(piece.room, at: offset)
    let isFull = piece.isFull
    try flush()
    return isFull
  }

  private func current() -> HashingLine.Piece {
    if let piece { return piece }
    let piece = line.next()
    self.piece = piece
    return piece
  }

  private func flush() throws(FileError) {
    if let failure { throw failure }
    guard let piece, piece.count > 0 else { return }
    self.piece = nil
    if head.count < Self.headSize {
      unsafe head.append(contentsOf: piece.filled.prefix(Self.headSize - head.count))
    }
    // The other thread hashes the piece while this one writes it. Only `next()` gives the piece out again.
    line.add(piece)
    do throws(FileError) {
      if let limit, written + Int64(piece.count) > limit { throw file.tooLarge(limit: limit) }
      try unsafe file.writeFully(piece.filled, at: nil)
    } catch {
      failure = error
      throw error
    }
    written += Int64(piece.count)
    if written - writtenBack >= Self.writeBackStep {
      file.startWriteBack(of: writtenBack..<written)
      writtenBack = written
    }
  }

  func finish() throws(FileError) -> (digest: SHA256Digest, size: Int64, head: [UInt8]) {
    try flush()
    try file.setMode(mode)
    try file.sync()
    let digest = line.finish()
    isFinished = true
    return (digest, written, head)
  }
}
