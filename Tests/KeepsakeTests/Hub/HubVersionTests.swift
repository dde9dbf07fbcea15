import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import Testing

@testable import Keepsake

@Suite struct `A version of a session at a hub` {
  /// A version of more than 64 KB is decoded only when somebody asks for its commit.
  @Test(arguments: [1, 400]) func `says its commit, whatever its size`(entries: Int) async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      for number in 0..<entries { try await session.append(.prompt("Line \(number).")) }
      let commit = try #require(try await store.wholeCommits(of: [session.id]).first)
      let bytes = try commit.encoded()
      #expect((bytes.count > 1 << 16) == (entries > 1))
      let version = HubVersion(version: 1, stamp: UUID(), base: nil, saying: bytes)
      #expect(try version.commit.encoded() == bytes)
      for place in [0, bytes.count / 2, bytes.count - 2] {
        var altered = bytes
        altered[place] ^= 1
        let other = HubVersion(version: 1, stamp: version.stamp, base: nil, saying: altered)
        #expect(throws: CopyFault.self) { try other.commit }
        #expect(
          HubVersion(
            version: 1, stamp: version.stamp, base: nil, bytes: altered,
            digest: SHA256.digest(of: bytes)) == nil)
      }
    }
  }
}
