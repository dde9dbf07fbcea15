import KeepsakeFiles
import Foundation
import Testing

@testable import Keepsake

@Suite("What killed processes leave")
struct LeftoversTests {
  private let folder: TestFolder
  private var store: URL { folder.store }
  private var incoming: URL { store.appending(path: "incoming") }

  init() async throws {
    folder = try TestFolder()
    await (try Store(at: folder.store)).close()
  }

  /// A store as another process opens it.
  private func open(_ options: Store.Options = .withoutIndexing) throws -> Store {
    try Store(path: store.path, options: options, registry: StoreRegistry())
  }

  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  /// Leaves the sign of life and parts of artifacts of a process that was killed.
  @discardableResult
  private func leave(parts: Int = 2) throws -> UUID {
    let owner = UUID()
    try Data().write(to: incoming.appending(path: StoreInstance.name(owner)))
    for _ in 0..<parts {
      try Data(count: 1000).write(
        to: incoming.appending(path: IncomingFile.newName(owner: owner)))
    }
    return owner
  }

  @Test func `in the store goes when it is next opened for writing`() async throws {
    try leave()
    try leave(parts: 0)
    // Of one that was suspended there is no sign of life: only age tells.
    let silent = IncomingFile.newName(owner: UUID())
    let old = IncomingFile.newName(owner: UUID())
    for name in [silent, old] { try Data([1]).write(to: incoming.appending(path: name)) }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -8000)],
      ofItemAtPath: incoming.appending(path: old).path)
    let reading = try open(.readOnly)
    let health = try await reading.health()
    #expect(health.leftovers == 4)
    #expect(health.leftoverBytes == 2000)
    await reading.close()
    #expect(try names(incoming).count == 6)
    let writing = try open()
    #expect(try names(incoming) == [silent, old].sorted())
    #expect(try await writing.health().leftovers == 0)
    await writing.close()
  }

  @Test func `of an open store stays, and what it takes in arrives`() async throws {
    let living = try open()
    let session = try await living.createSession()
    let (chunks, feed) = AsyncStream.makeStream(of: [UInt8].self)
    let attaching = Task { try await session.attach(.init(.chunks(chunks), madeBy: .user)) }
    feed.yield(DeletingTests.large)
    while try names(incoming).count < 2 { await Task.yield() }
    try leave()
    let other = try open()
    #expect(try names(incoming).count == 2)
    await other.close()
    feed.finish()
    #expect(try await attaching.value.data().count == DeletingTests.large.count)
    await living.close()
  }

  @Test func `D5: what was planted in the place of such files is not followed, nor removed`()
    async throws
  {
    let precious = folder.url.appending(path: "precious")
    try Data([7]).write(to: precious)
    let owner = UUID()
    let sign = incoming.appending(path: StoreInstance.name(owner))
    try FileManager.default.createSymbolicLink(at: sign, withDestinationURL: precious)
    let part = IncomingFile.newName(owner: owner)
    try Data([1]).write(to: incoming.appending(path: part))
    let pipe = incoming.appending(path: StoreInstance.name(UUID()))
    #expect(mkfifo(pipe.path, 0o600) == 0)
    try FileManager.default.createDirectory(
      at: incoming.appending(path: IncomingFile.newName(owner: UUID())),
      withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      at: incoming.appending(path: IncomingFile.newName(owner: UUID())),
      withDestinationURL: precious)
    try Data([2]).write(to: incoming.appending(path: "notes.txt"))
    let before = try names(incoming)
    let store = try open()
    #expect(try await store.sweep(olderThan: .zero) == Removal())
    #expect(try names(incoming) == before)
    #expect(try Data(contentsOf: precious) == Data([7]))
    await store.close()
  }

  @Test func `an opening looks at a few names, however many there are`() async throws {
    for _ in 0..<50 { try leave(parts: 1) }
    let store = try open()
    let left = try names(incoming).count
    #expect(left >= 100 - Leftovers.namesAtOpening)
    #expect(left < 100)
    await store.close()
    while try names(incoming).count > 0 { await (try open()).close() }
  }

  @Test func `beside the store goes once nobody wants anything`() async throws {
    let left = try HiddenFolder(in: Directory(path: folder.url.path)).name
    let copy = folder.url.appending(path: left).appending(path: "artifacts")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    for number in 0..<(2 * Leftovers.filesAtATime) {
      try Data([1]).write(to: copy.appending(path: "\(number)"))
    }
    var options = Store.Options()
    options.searchDelay = .milliseconds(1)
    let store = try open(options)
    while try names(folder.url).count > 1 { try await Task.sleep(for: .milliseconds(1)) }
    await store.close()
  }

  @Test func `by a backup or a new store goes with the next one in the same folder`() async throws {
    let place = try Directory(path: folder.url.path)
    _ = try HiddenFolder(in: place)
    let living = try HiddenFolder(in: place)
    let store = try open()
    _ = try await store.backup(to: folder.url.appending(path: "Copy.keepsake"))
    await store.close()
    #expect(
      try names(folder.url) == [living.name, "Chats.keepsake", "Copy.keepsake"])
    _ = try HiddenFolder(in: place)
    await (try Store(at: folder.url.appending(path: "New.keepsake"))).close()
    #expect(try names(folder.url).count == 4)
  }
}
