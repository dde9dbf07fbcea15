/// Hashes pieces in order, on the calling thread at first, and on a second thread when there are many.
///
/// A second thread pays from 4 MB on: with it, a copy runs at the speed of SHA-256 itself. At most ``pieceLimit``
/// pieces exist, so a slow hash slows the copy down instead of filling the memory.
final class HashingLine {
  /// Memory that one thread fills and another thread hashes.
  @safe
  final class Piece: @unchecked Sendable {
    // `@unchecked`: the thread that took a piece out of the line owns it alone. While it is hashed, the other thread
    // only reads it.
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

  /// The largest number of pieces that exist at a time.
  static let pieceLimit = 16
  static let pieceSize = 256 << 10
  /// The number of bytes from which on a second thread hashes.
  static let threshold: Int64 = 4 << 20

  private struct Pieces {
    var full: [Piece] = []
    var free: [Piece] = []
    var isClosed = false
  }

  private final class Work: @unchecked Sendable {
    // `@unchecked`: `hash` belongs to the maker until the thread starts, to the thread until it was joined, and then
    // to the maker again.
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

  /// Creates a line for about so many bytes; nil where their number is not known.
  init(expected: Int64?) {
    // A small file needs only a small piece. Room for one more byte shows that the file ended where it should.
    capacity = Int(min(Int64(Self.pieceSize) - 1, expected ?? .max)) + 1
    if let expected, expected >= Self.threshold { startWorker() }
  }

  deinit { stopWorker() }

  private func startWorker() {
    let work = work
    // Without a second thread the result is the same, only later.
    worker = try? WorkerThread(starting: "keepsake.hash") { work.run() }
    // No thread is tried again, because the total can no longer reach the threshold.
    if worker == nil { total = .min }
  }

  private func stopWorker() {
    guard let worker else { return }
    work.pieces.withLock { $0.isClosed = true }
    work.pieces.signal()
    worker.join()
    self.worker = nil
  }

  /// A piece to fill. Waits while the hash lags behind.
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

  /// Hashes a piece now or soon. Until the next call of ``next()`` the piece may be read, and not changed.
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
