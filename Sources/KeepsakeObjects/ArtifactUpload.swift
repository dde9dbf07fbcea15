import Keepsake
import KeepsakeFiles

/// Puts the bytes of one artifact into a bucket. Nothing is seen of it before all bytes are there, and are the right ones.
struct ArtifactUpload: Sendable {
  /// The bytes that are read at once.
  static let piece = 8 << 20

  private let store: ObjectStore
  private let artifact: Artifact.ID
  private let key: String
  private let threads: HubThreads

  /// Creates an upload.
  /// - Parameter threads: The threads on which the bytes are read, because that may block.
  init(_ store: ObjectStore, _ artifact: Artifact.ID, key: String, threads: HubThreads) {
    self.store = store
    self.artifact = artifact
    self.key = key
    self.threads = threads
  }

  /// What was read of an artifact: the bytes that were not handed over as parts, and the digest of all.
  private struct Rest: Sendable {
    let bytes: [UInt8]
    let digest: SHA256Digest
  }

  /// Reads the bytes and puts them.
  func run(
    _ hand: @escaping @Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void
  ) async throws {
    let queue = PartQueue()
    async let reading = threads.run {
      defer { queue.end() }
      return try Self.read(hand, into: queue)
    }
    var parts: ObjectStore.Parts?
    do {
      while let piece = await queue.next() {
        try await send(piece, &parts)
      }
      let rest = try await reading
      guard rest.digest == artifact.digest else { throw wrong }
      if parts == nil {
        _ = try await store.put(key, rest.bytes)
      } else {
        if !rest.bytes.isEmpty { try await send(rest.bytes, &parts) }
        if let parts { try await store.finish(parts) }
      }
    } catch {
      queue.abandon()
      // The thread that reads sees that, and ends before the bytes' owner is told.
      _ = try? await reading
      if let parts { await store.abandon(parts) }
      throw error
    }
  }

  private func send(_ piece: [UInt8], _ parts: inout ObjectStore.Parts?) async throws {
    var begun: ObjectStore.Parts
    if let parts { begun = parts } else { begun = try await store.begin(key) }
    parts = begun
    try await store.add(piece, to: &begun)
    parts = begun
  }

  /// Reads all bytes, and hands over parts as soon as there are too many for a single request.
  private static func read(
    _ hand: (_ take: ([UInt8]) throws -> Void) throws -> Void, into queue: PartQueue
  ) throws -> Rest {
    var hash = SHA256()
    var bytes: [UInt8] = []
    var isInParts = false
    try hand { piece in
      hash.update(piece)
      bytes += piece
      if bytes.count > ObjectStore.largestPut { isInParts = true }
      while isInParts, bytes.count >= ObjectStore.part {
        try queue.give(Array(bytes.prefix(ObjectStore.part)))
        bytes.removeFirst(ObjectStore.part)
      }
    }
    return Rest(bytes: bytes, digest: hash.finalize())
  }

  private var wrong: KeepsakeError {
    KeepsakeError(
      .artifactDamaged,
      "Can't put \(artifact) at the hub: the bytes are not the ones that its name promises. Verify the store.",
      object: artifact.description)
  }
}
