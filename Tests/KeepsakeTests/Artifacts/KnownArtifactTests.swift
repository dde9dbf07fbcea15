import KeepsakeFiles
import Foundation
import Keepsake
import Testing

/// Large bytes of a size that the store knows already: written only where they differ.
@Suite struct `Bytes of a known size` {
  static let original = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

  /// At the beginning, in the middle and at the end, where few bytes tell; and elsewhere, where only all of them do.
  @Test(arguments: [0, 70_000, 150_000, 299_999], [true, false])
  func `that differ in one byte are another artifact`(place: Int, fromFile: Bool) async throws {
    var other = Self.original
    other[place] ^= 1
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let first = try await session.attach(.init(.bytes(Self.original)))
      let second = try await attach(other, to: session, fromFile: fromFile)
      #expect(first.artifact != second.artifact)
      #expect(try await Array(first.data()) == Self.original)
      #expect(try await Array(second.data()) == other)
    }
  }

  @Test(arguments: [true, false])
  func `that are the same are not written again, however many have the size`(fromFile: Bool)
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      var different = Self.original
      var artifacts: Set<Artifact.ID> = []
      for number in 0..<20 {
        different[1000] = UInt8(number)
        for _ in 0..<2 {
          let artifact = try await attach(different, to: session, fromFile: fromFile).artifact
          artifacts.insert(try #require(artifact).id)
        }
      }
      #expect(artifacts.count == 20)
      #expect(try await store.artifacts(limit: 100).artifacts.count == 20)
    }
  }

  private func attach(_ bytes: [UInt8], to session: Session, fromFile: Bool) async throws
    -> Entry.Attachment
  {
    guard fromFile else { return try await session.attach(.init(.bytes(bytes))) }
    let folder = try TestFolder()
    let file = folder.url.appending(path: "source")
    try Data(bytes).write(to: file)
    return try await session.attach(.init(.file(file)))
  }
}
