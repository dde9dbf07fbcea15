import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeTestSupport
import Testing

/// The checks of artifacts.
extension HubConformance {
  static func lacks(_ place: Place) async throws {
    let hub = try await place.make()
    let other = try await place.open()
    let session = UUID()
    let (one, two): ([UInt8], [UInt8]) = (Array("one".utf8), Array("two".utf8))
    let ids = [Artifact.ID(of: one), Artifact.ID(of: two)]
    let offer = HubOffer(session, on: nil, needs: ids)
    #expect(try await hub.commit(offer).lacking == ids)
    #expect(try await hub.directory().heads == [])
    #expect(try await hub.put(one) == ids[0])
    #expect(try await other.missing(of: ids) == [ids[1]])
    #expect(try await other.commit(offer).lacking == [ids[1]])
    #expect(try await hub.put(two) == ids[1])
    #expect(try await other.commit(offer).version == 1)
    // Others of the same call are not touched by one that lacks something.
    let next = HubOffer(session, on: offer.stamp, needs: [Artifact.ID(of: [9])])
    let answers = try await hub.commit([next, HubOffer(UUID(), on: nil, needs: ids)])
    #expect(answers[0].lacking == [Artifact.ID(of: [9])])
    #expect(answers[1].version == 1)
    // The hub names a removed artifact also for an offer that it has taken: somebody has to put the bytes again.
    try await other.remove([ids[0], ids[0], Artifact.ID(of: [7])]) { [] }
    #expect(try await hub.missing(of: ids) == [ids[0]])
    #expect(try await hub.commit(offer).lacking == [ids[0]])
    _ = try await hub.put(one)
    #expect(try await hub.commit(offer).version == 1)
    #expect(try await hub.soundLog(session).count == 1)
  }

  static func artifacts(_ place: Place) async throws {
    let hub = try await place.make()
    let other = try await place.open()
    var random = SeededGenerator(seed: 7)
    var contents = (0..<12).map { Payload.bytes(1 << $0, using: &random) }
    contents.append([])
    contents.append(Payload.bytes(5_000_001, using: &random))
    let all = contents
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          let hub = task.isMultiple(of: 2) ? hub : other
          for bytes in all.shuffled() {
            let id = Artifact.ID(of: bytes)
            try await hub.put(id) { take in
              // The bytes come in pieces of any size.
              try take(Array(bytes.prefix(bytes.count / 3)))
              try take(Array(bytes.dropFirst(bytes.count / 3)))
            }
            #expect(try await hub.missing(of: [id]) == [])
            #expect(try await hub.bytes(id) == bytes)
          }
        }
      }
      try await group.waitForAll()
    }
    let ids = all.map { Artifact.ID(of: $0) }
    #expect(try await hub.missing(of: ids) == [])
    let isAsked = Locked(false)
    try await hub.put(ids[3]) { _ in isAsked.withLock { $0 = true } }
    #expect(!isAsked.withLock { $0 }, "it is there, so that nobody is asked for it")
    try await hub.remove(ids) { [] }
    #expect(try await other.missing(of: ids) == ids)
  }

  static func artifactList(_ place: Place) async throws {
    let hub = try await place.make()
    var sizes: [Artifact.ID: Int64] = [:]
    for number in 0..<40 {
      let bytes = Array("artifact \(number) \(String(repeating: "x", count: number))".utf8)
      sizes[try await hub.put(bytes)] = Int64(bytes.count)
    }
    var listed: [HubArtifact] = []
    while true {
      let page = try await place.open().artifacts(after: listed.last?.id)
      if page.isEmpty { break }
      listed += page
      try #require(listed.count <= sizes.count)
    }
    #expect(listed.map(\.id) == sizes.keys.sorted())
    #expect(listed.allSatisfy { sizes[$0.id] == $0.size && (.zero...(.seconds(600))) ~= $0.age })
    let last = try #require(listed.last)
    #expect(try await hub.artifacts(after: last.id) == [])
  }

  static func removal(_ place: Place) async throws {
    struct Stop: Error {}
    let hub = try await place.make()
    let other = try await place.open()
    var ids: [Artifact.ID] = []
    for text in ["goes", "is needed", "is put again"] {
      ids.append(try await hub.put(Array(text.utf8)))
    }
    let all = ids
    let session = UUID()
    try await hub.remove(all) {
      // Nobody can build on it any more, and everybody can read it still.
      #expect(try await other.missing(of: all) == all)
      let lacking = try await other.commit(HubOffer(session, on: nil, needs: all)).lacking
      #expect(lacking == all)
      for id in all { _ = try await other.bytes(id) }
      #expect(try await other.put(Array("is put again".utf8)) == all[2])
      #expect(try await other.missing(of: all) == [all[0], all[1]])
      return [all[1]]
    }
    #expect(try await other.missing(of: all) == [all[0]])
    #expect(
      try await other.commit(HubOffer(session, on: nil, needs: [all[1], all[2]])).version == 1)
    let first = try await hub.artifacts(after: nil).map(\.id)
    #expect(Set(first).isSubset(of: [all[1], all[2]]) && !first.isEmpty)
    #expect(try await hub.bytes(all[1]) == Array("is needed".utf8))
    // Nothing goes where nobody can tell what is needed.
    await #expect(throws: Stop.self) { try await hub.remove([all[1]]) { throw Stop() } }
    #expect(try await other.missing(of: [all[1]]) == [])
    let gone = await #expect(throws: KeepsakeError.self) { try await other.bytes(all[0]) }
    #expect(gone?.code == .artifactMissing)
  }

  /// Two stores remove an artifact at once. The first store looks at the sessions before a third store commits the artifact, and the second
  /// store looks afterwards, so that the artifact has to stay.
  static func removalsAtOnce(_ place: Place) async throws {
    let (first, second, writer) = try await (place.make(), place.open(), place.open())
    let id = try await first.put([4, 5, 6])
    let (looked, hasLooked) = AsyncStream.makeStream(of: Void.self)
    let (going, isGoing) = AsyncStream.makeStream(of: Void.self)
    let slow = Task {
      try await first.remove([id]) {
        hasLooked.finish()
        for await _ in going {}
        return []
      }
    }
    for await _ in looked {}
    // The third store puts the artifact again and commits it. The second store begins to remove the artifact after that.
    let session = UUID()
    var answer = try await writer.commit(HubOffer(session, on: nil, needs: [id]))
    if answer.lacking == [id] {
      #expect(try await writer.put([4, 5, 6]) == id)
      answer = try await writer.commit(HubOffer(session, on: nil, needs: [id]))
    }
    #expect(answer.version == 1)
    try await second.remove([id]) {
      isGoing.finish()
      try await slow.value
      return [id]
    }
    #expect(try await writer.missing(of: [id]) == [])
    #expect(try await writer.bytes(id) == [4, 5, 6])
  }

  static func wrongBytes(_ place: Place) async throws {
    struct Stop: Error {}
    let hub = try await place.make()
    let id = Artifact.ID(of: [1, 2, 3])
    for wrong: [UInt8] in [[], [1, 2], [1, 2, 4], [1, 2, 3, 0]] {
      let error = await #expect(throws: KeepsakeError.self) {
        try await hub.put(id) { try $0(wrong) }
      }
      #expect(error?.code == .artifactDamaged)
    }
    await #expect(throws: Stop.self) {
      try await hub.put(id) { take in
        try take([1, 2, 3])
        throw Stop()
      }
    }
    #expect(try await hub.missing(of: [id]) == [id])
    try await hub.put(id) { try $0([1, 2, 3]) }
    await #expect(throws: Stop.self) { try await hub.get(id) { _ in throw Stop() } }
    #expect(try await hub.bytes(id) == [1, 2, 3])
  }
}
