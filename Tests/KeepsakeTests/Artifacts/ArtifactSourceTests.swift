import KeepsakeFiles
import Foundation
import Testing

@testable import Keepsake

/// Exact bytes in, exact bytes out: from every kind of source, at every size at which something changes.
@Suite("Bytes that are attached")
struct ArtifactSourceTests {
  enum Kind: CaseIterable { case bytes, data, base64, dataURL, file, chunks, unevenChunks }

  /// None, one, the limit of rows, the size from which a second thread hashes, and more than all its pieces hold.
  static let sizes = [
    0, 1, Artifact.inlineLimit - 1, Artifact.inlineLimit, Artifact.inlineLimit + 1, 4 << 20,
    5_000_000,
  ]

  /// Text is decoded into bytes, and from there on it is one of the others.
  static let cases = Kind.allCases.flatMap { kind in
    sizes.filter { kind != .base64 && kind != .dataURL || $0 <= 200_000 }.map { (kind, $0) }
  }

  /// Each block differs from the others, so that one that is lost, swapped or repeated shows.
  static func bytes(_ size: Int, seed: UInt8 = 1) -> [UInt8] {
    var bytes = [UInt8](repeating: seed, count: size)
    for (number, start) in stride(from: 0, to: size, by: 1000).enumerated() {
      bytes[start] = UInt8(truncatingIfNeeded: number)
      if start + 1 < size { bytes[start + 1] = UInt8(truncatingIfNeeded: number >> 8) }
    }
    return bytes
  }

  static func chunks(_ bytes: [UInt8], of size: Int) -> AsyncStream<[UInt8]> {
    AsyncStream { stream in
      for start in stride(from: 0, to: bytes.count, by: size) {
        stream.yield(Array(bytes[start..<min(bytes.count, start + size)]))
        stream.yield([])
      }
      stream.finish()
    }
  }

  private func source(_ kind: Kind, _ bytes: [UInt8], in folder: TestFolder) throws
    -> ArtifactSource
  {
    switch kind {
    case .bytes: return .bytes(bytes)
    // A part of a larger one, whose first index is not 0.
    case .data: return .data(Data([1, 2, 3] + bytes).dropFirst(3))
    case .base64:
      return .base64(Data(bytes).base64EncodedString(options: .lineLength76Characters))
    case .dataURL:
      return .base64("data:application/x-test;base64," + Data(bytes).base64EncodedString())
    case .file:
      let file = folder.url.appending(path: "source")
      try Data(bytes).write(to: file)
      return .file(file)
    case .chunks: return .chunks(Self.chunks(bytes, of: 65_536))
    case .unevenChunks: return .chunks(Self.chunks(bytes, of: 99_991))
    }
  }

  @Test(arguments: cases)
  func `come back as they were`(kind: Kind, size: Int) async throws {
    let folder = try TestFolder()
    let bytes = Self.bytes(size)
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    let attached = try await session.attach(.init(source(kind, bytes, in: folder)))
    // Once more, when it is known; then the store has it once.
    try await session.attach(.init(source(kind, bytes, in: folder)))
    #expect(try await store.artifacts().artifacts.map(\.uses) == [2])
    try await expect(attached, bytes)
    await store.close()

    let again = try await Store(at: folder.store)
    let found = try await again.session(session.id).attachments()
    #expect(found.count == 2)
    for attachment in found { try await expect(attachment, bytes) }
    #expect(try await again.verify(.init(readData: true)).isSound)
    #expect(try incoming(in: folder.store).isEmpty)
    await again.close()
  }

  private func expect(_ attachment: Entry.Attachment, _ bytes: [UInt8]) async throws {
    let artifact = try #require(attachment.artifact)
    #expect(artifact.id.digest == SHA256.digest(of: bytes))
    #expect(artifact.size == Int64(bytes.count))
    #expect(try await attachment.data() == Data(bytes))
    #expect(try await artifact.data() == Data(bytes))
    let isEqual = try await artifact.withBytes { span in
      span.byteCount == bytes.count && SHA256.digest(of: span) == SHA256.digest(of: bytes)
    }
    #expect(isEqual)
    #expect(try Data(contentsOf: try await attachment.fileURL()) == Data(bytes))
    for size in [1 << 20, 77_777, Int.max] {
      var read: [UInt8] = []
      for try await chunk in artifact.chunks(of: size) {
        #expect(!chunk.isEmpty && chunk.count <= size)
        read += chunk
      }
      #expect(read == bytes)
    }
    let count = Int64(bytes.count)
    for range in [
      0..<0, 0..<min(1, count), count..<count, count / 2..<count, max(0, count - 1)..<count,
      min(10, count)..<min(4099, count),
    ] {
      let expected = Data(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
      #expect(try await artifact.data(in: range) == expected, "\(range)")
    }
    for range in [0..<(count + 1), (count + 1)..<(count + 2), -1..<0, 0..<Int64.max] {
      let error = await keepsakeError { try await artifact.data(in: range) }
      #expect(error?.code == .outOfRange, "\(range)")
    }
  }

  /// More than the pieces that wait to be hashed may hold, so that the slower side has to be waited for.
  @Test func `may be more than any buffer holds`() async throws {
    try await withTemporaryStore { store in
      let piece = Self.bytes(1 << 20)
      let count = 3 * HashingLineLimits.bytes / piece.count
      var hash = SHA256()
      for number in 0..<count { hash.update(Self.numbered(piece, number).span.bytes) }
      let (stream, feed) = AsyncStream.makeStream(of: [UInt8].self)
      for number in 0..<count { feed.yield(Self.numbered(piece, number)) }
      feed.finish()
      let session = try await store.createSession()
      let attached = try await session.attach(.init(.chunks(stream)))
      let artifact = try #require(attached.artifact)
      #expect(artifact.id.digest == hash.finalize())
      #expect(artifact.size == Int64(count * piece.count))
      var number = 0
      for try await chunk in artifact.chunks(of: piece.count) {
        #expect(chunk == Self.numbered(piece, number))
        number += 1
      }
      #expect(number == count)
    }
  }

  private static func numbered(_ piece: [UInt8], _ number: Int) -> [UInt8] {
    var piece = piece
    piece[0] = UInt8(truncatingIfNeeded: number)
    return piece
  }

  @Test(arguments: [1, Artifact.inlineLimit, Artifact.inlineLimit + 1, 5_000_000])
  func `fifty times at once are one artifact`(size: Int) async throws {
    try await withTemporaryStore { store in
      let bytes = Self.bytes(size)
      let session = try await store.createSession()
      let attached = try await withThrowingTaskGroup(of: Entry.Attachment.self) { group in
        for task in 0..<50 {
          group.addTask {
            let source: ArtifactSource =
              task % 3 == 0 ? .chunks(Self.chunks(bytes, of: 70_000)) : .bytes(bytes)
            let attached = try await session.attach(.init(source))
            #expect(try await attached.data() == Data(bytes))
            return attached
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(attached.map(\.artifact)).count == 1)
      #expect(Set(attached.map(\.recording)).count == 50)
      #expect(try await store.artifacts().artifacts.map(\.uses) == [50])
      #expect(try DeletingTests.files(store).count == (size > Artifact.inlineLimit ? 1 : 0))
      #expect(try incoming(in: store.url).isEmpty)
      try await DeletingTests.isSound(store)
    }
  }

  // MARK: - Sources that fail

  private struct Failing: AsyncSequence, AsyncIteratorProtocol, Sendable {
    struct Stopped: Error {}
    let size: Int
    var given = 0

    func makeAsyncIterator() -> Failing { self }

    mutating func next() async throws -> [UInt8]? {
      guard given < size else { throw Stopped() }
      given += 50_000
      return [UInt8](repeating: 9, count: 50_000)
    }
  }

  @Test(arguments: [0, 50_000, 400_000, 6_000_000])
  func `of a source that throws leave nothing behind`(size: Int) async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let before = try DeletingTests.rows(store)
      await #expect(throws: Failing.Stopped.self, "the caller's own error") {
        try await session.attach(.init(.chunks(Failing(size: size))))
      }
      await #expect(throws: Failing.Stopped.self) {
        try await session.append(.prompt("x"), attaching: [.init(.chunks(Failing(size: size)))])
      }
      #expect(try DeletingTests.rows(store) == before)
      #expect(try incoming(in: store.url).isEmpty)
      #expect(try await store.sweep(olderThan: .zero) == Removal())
    }
  }

  /// A stream ends when its task is cancelled, as if it were complete.
  @Test(arguments: [1000, 3_000_000])
  func `of a source that is cancelled leave nothing behind`(size: Int) async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let before = try DeletingTests.rows(store)
      let (stream, feed) = AsyncStream.makeStream(of: [UInt8].self)
      let attaching = Task { try await session.attach(.init(.chunks(stream))) }
      feed.yield(Self.bytes(size))
      // Where it is large, cancelled in the middle of writing.
      while size > Artifact.inlineLimit, try incoming(in: store.url).isEmpty {
        try await Task.sleep(for: .milliseconds(5))
      }
      attaching.cancel()
      await #expect(throws: CancellationError.self) { try await attaching.value }
      feed.finish()
      #expect(try DeletingTests.rows(store) == before)
      #expect(try incoming(in: store.url).isEmpty)
      #expect(try await store.sweep(olderThan: .zero) == Removal())
    }
  }

  @Test func `of a file that is not there, no file, or not to be read are an error`() async throws {
    let folder = try TestFolder()
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    let before = try DeletingTests.rows(store)
    let missing = folder.url.appending(path: "missing")
    for (url, code) in [(missing, KeepsakeError.Code.notFound), (folder.url, .refused)] {
      let error = await keepsakeError { try await session.attach(.init(.file(url))) }
      #expect(error?.code == code)
      #expect(error?.message.contains(url.path) == true)
    }
    #expect(try DeletingTests.rows(store) == before)
    #expect(try incoming(in: folder.store).isEmpty)
    await store.close()
  }
}

/// How much `Files` holds in memory while it takes bytes in.
private enum HashingLineLimits {
  static let bytes = 16 * (256 << 10)
}
