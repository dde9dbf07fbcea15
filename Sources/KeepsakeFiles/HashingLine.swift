/// Hashes pieces in their order: on this thread at first, on a second one when there are many.
///
/// A thread pays from 4 MB up: with it a copy runs at the speed of SHA-256 itself. At most
/// ``pieceLimit`` pieces exist, so a slow hash slows the copy instead of filling the memory.
final class HashingLine {
  /// Memory that is filled by one thread and hashed by another.
  @safe
  final class Piece: @unchecked Sendable {
    // `@unchecked`: whoever took it out of the line has it alone. While it is being hashed the
    // other side only reads it, too.
    let memory: UnsafeMutableRawBufferPointer
    var count = 0

    init(capacity: Int) {
      unsafe memory = .allocate(byteCount: capacity, alignment: 64)
    }

    deinit { unsafe memory.deallocate() }

    var isFull: Bool { unsafe count == memory.count }
    var filled: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: memory[..<count]) }
    var room: UnsafeMutableRawBufferPointer {
      unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count...])
    }
  }

  static let pieceLimit = 16
  static let pieceSize = 256 << 10
  /// From this many bytes on a second thread hashes.
  static let threshold: Int64 = 4 << 20

  private struct Pieces {
    var full: [Piece] = []
    var free: [Piece] = []
    var isClosed = false
  }

  private final class Work: @unchecked Sendable {
    // `@unchecked`: `hash` belongs to the maker until the thread starts, to the thread until it was
    // joined, and then to the maker again.
    var hash = SHA256()
    let pieces = Monitor(Pieces())

    func run() {
      while true {
        let batch = pieces.wait { pieces -> [Piece]? in
          guard pieces.full.isEmpty else {
            defer { pieces.full.removeAll() }
            return pieces.full
          }
          return pieces.isClosed ? [] : nil
        }
        guard let batch, !batch.isEmpty else { return }
        for piece in batch {
          hash.update(unsafe piece.filled.bytes)
          pieces.withLock { $0.free.append(piece) }
          pieces.signal()
        }
      }
    }
  }

  private let work = Work()
  private var worker: WorkerThread?
  private var made = 0
  private var total: Int64 = 0
  private let capacity: Int

  /// A line for about that many bytes; nil when it isn't known how many will come.
  init(expected: Int64?) {
    // A small file needs no large piece; one byte more shows that it ended where it should.
    capacity = Int(min(Int64(Self.pieceSize) - 1, expected ?? .max)) + 1
    if let expected, expected >= Self.threshold { startWorker() }
  }

  deinit { stopWorker() }

  private func startWorker() {
    let work = work
    // Without a thread it is slower and just as right.
    worker = try? WorkerThread(starting: "keepsake.hash") { work.run() }
    // Never asks again: the total can't reach the threshold from there.
    if worker == nil { total = .min }
  }

  private func stopWorker() {
    guard let worker else { return }
    work.pieces.withLock { $0.isClosed = true }
    work.pieces.signal()
    worker.join()
    self.worker = nil
  }

  /// A piece to fill; waits while the hash is behind.
  func next() -> Piece {
    let made = made
    let piece = work.pieces.wait { pieces -> Piece?? in
      if let piece = pieces.free.popLast() { return .some(piece) }
      return made < Self.pieceLimit ? .some(nil) : nil
    }
    if case .some(.some(let piece)) = piece {
      piece.count = 0
      return piece
    }
    self.made += 1
    return Piece(capacity: capacity)
  }

  /// Hashes the piece, now or soon. It may be read until the next call of ``next()``, not changed.
  func add(_ piece: Piece) {
    if worker == nil {
      hashHere(piece)
    } else {
      work.pieces.withLock { $0.full.append(piece) }
      work.pieces.signal()
    }
  }

  private func hashHere(_ piece: Piece) {
    work.hash.update(unsafe piece.filled.bytes)
    work.pieces.withLock { $0.free.append(piece) }
    total += Int64(piece.count)
    if total >= Self.threshold { startWorker() }
  }

  /// The digest of all pieces that were added.
  func finish() -> SHA256Digest {
    stopWorker()
    return work.hash.finalize()
  }
}
