import KeepsakeFiles
import Foundation
import Testing

@testable import Keepsake

@Suite("Many handles of one store")
struct ManyHandlesTests {
  private static let count = 1000
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  #if os(Linux)
    /// How many of this process's descriptors are of files in the test's folder.
    private func descriptors() throws -> Int {
      let place = "/proc/self/fd"
      return try FileManager.default.contentsOfDirectory(atPath: place).count { name in
        // Other tests close theirs meanwhile.
        let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(place)/\(name)")
        return file?.hasPrefix(folder.url.path) == true
      }
    }

    /// The same, once what an opening does in the background is done.
    private func settledDescriptors() async throws -> Int {
      var last = try descriptors()
      var equal = 0
      for _ in 0..<1000 where equal < 10 {
        try await Task.sleep(for: .milliseconds(10))
        let now = try descriptors()
        equal = now == last ? equal + 1 : 0
        last = now
      }
      return last
    }

    @Test func `F6: a thousand handles have as many descriptors as one`() async throws {
      let first = try await Store(at: folder.store)
      let session = try await first.createSession()
      let before = try await settledDescriptors()
      #expect(before > 0)
      var handles: [Store] = []
      for _ in 0..<Self.count { handles.append(try await Store(at: folder.store)) }
      #expect(try await settledDescriptors() == before)
      for handle in handles { #expect(try await handle.session(session.id).count() == 0) }
      #expect(try await settledDescriptors() == before)
      for handle in handles { await handle.close() }
      #expect(try await settledDescriptors() == before)
      await first.close()
    }
  #endif

  @Test func `F6: what a thousand handles append at once is all there, each in its order`()
    async throws
  {
    let first = try await Store(at: folder.store, options: .withoutIndexing)
    let id = try await first.createSession().id
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<Self.count {
        group.addTask { [place = folder.store] in
          let handle = try await Store(at: place, options: .withoutIndexing)
          let session = try await handle.session(id)
          try await session.append(.event("\(number) first"))
          try await session.append(.event("\(number) second"))
          await handle.close()
        }
      }
      try await group.waitForAll()
    }
    let texts = try await first.session(id).texts()
    #expect(texts.count == 2 * Self.count)
    let places = Dictionary(uniqueKeysWithValues: texts.enumerated().map { ($1, $0) })
    for number in 0..<Self.count {
      let earlier = try #require(places["\(number) first"])
      #expect(earlier < (try #require(places["\(number) second"])))
    }
    #expect(try await first.verify().isSound)
    await first.close()
  }
}
