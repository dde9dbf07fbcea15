import KeepsakeFiles
import Foundation
import Testing

@testable import Keepsake

@Suite("A clock that is set forward and back")
struct ClockTests {
  private static let start = Date(timeIntervalSince1970: 1_767_225_600)
  private static let tenYears = 10 * 365.25 * 86_400
  /// Back, forward twice to the same moment, and right again.
  private static let jumps = [0, -tenYears, tenYears, tenYears, 0, 0, -tenYears]

  private let clock = Locked(start)
  private let folder: TestFolder
  private var options: Store.Options {
    var options = Store.Options(now: { [clock] in clock.withLock { $0 } })
    options.searchDelay = nil
    return options
  }

  init() throws { folder = try TestFolder() }

  private func set(_ seconds: Double) {
    clock.withLock { $0 = Self.start.addingTimeInterval(seconds) }
  }

  /// An entry of the moment that the clock shows.
  private func prompt(_ text: String) -> Entry {
    var entry = Entry.prompt(text)
    entry.created = options.now()
    return entry
  }

  @Test func `F9: entries, turns and attachments stand in the order in which they came`()
    async throws
  {
    let store = try await Store(at: folder.store, options: options)
    let session = try await store.createSession()
    for (number, jump) in Self.jumps.enumerated() {
      set(jump)
      let turn = try await session.openTurn()
      try await session.append(prompt("\(number)"), attaching: [.labelled("label \(number)")])
      try await session.close(turn, .answered)
    }
    await store.close()

    set(Self.tenYears)
    let again = try await Store(at: folder.store, options: options)
    let same = try await again.session(session.id)
    let entries = try await same.entries.all()
    let expected = Self.jumps.indices.map { "\($0)" }
    #expect(entries.map(\.text) == expected)
    #expect(entries.map(\.created) == Self.jumps.map { Self.start.addingTimeInterval($0) })
    #expect(try await same.entries(after: 1, count: 3).map(\.text) == ["2", "3", "4"])
    #expect(try await same.entries(before: 5, count: 2).map(\.text) == ["3", "4"])
    #expect(try await same.entries(last: 2).map(\.text) == ["5", "6"])
    #expect(try await same.turns().map(\.number) == Array(1...Self.jumps.count))
    #expect(try await same.attachments().map(\.label) == expected.map { "label \($0)" })
    let fork = try await same.fork(before: 3)
    try await fork.append(.response("another"))
    #expect(try await fork.texts() == ["0", "1", "2", "another"])
    #expect(try await again.verify().isSound)
    await again.close()
  }

  @Test(arguments: [1, 2, 50])
  func `F9: sessions are listed each once, of one time the one that was made last first`(
    limit: Int
  ) async throws {
    let store = try await Store(at: folder.store, options: options)
    for (number, jump) in Self.jumps.enumerated() {
      set(jump)
      try await store.createSession(title: "\(number)").append(prompt("x"))
    }
    var titles: [String] = []
    var cursor: Session.Cursor?
    repeat {
      let page = try await store.sessions(limit: limit, after: cursor)
      titles += page.sessions.compactMap(\.title)
      cursor = page.next
    } while cursor != nil
    #expect(titles == ["3", "2", "5", "4", "0", "6", "1"])
    await store.close()
  }

  /// Keeps an artifact that nothing uses.
  private func keepUnused(_ byte: UInt8, in store: Store) async throws {
    let prepared = try await store.handle.artifacts.prepare(.bytes([byte]))
    try await store.handle.write { change in
      _ = try store.handle.artifacts.keep(prepared, handle: store.handle, in: change)
    }
  }

  @Test(arguments: [-tenYears, tenYears, -9e12, 1e15])
  func `F9: what came a moment ago is young to a sweep, wherever the clock stands`(jump: Double)
    async throws
  {
    let store = try await Store(at: folder.store, options: options)
    let session = try await store.createSession()
    try await session.attach(.init(.bytes(DeletingTests.large), madeBy: .user))
    set(jump)
    try await keepUnused(1, in: store)
    #expect(try await store.sweepPreview() == Removal())
    #expect(try await store.sweep() == Removal())
    #expect(try await store.sweep(olderThan: .seconds(Int64.max)) == Removal())
    #expect(try await store.sweep(olderThan: .zero).artifacts == 1)
    await store.close()
  }

  @Test func `F9: what is in use outlives sweeps while the clock goes forward and back`()
    async throws
  {
    let store = try await Store(at: folder.store, options: options)
    let session = try await store.createSession()
    let (chunks, feed) = AsyncStream.makeStream(of: [UInt8].self)
    let attaching = Task { try await session.attach(.init(.chunks(chunks), madeBy: .user)) }
    feed.yield(DeletingTests.large)
    while try incoming(in: folder.store).isEmpty { await Task.yield() }
    var kept: [Entry.Attachment] = []
    for (number, jump) in Self.jumps.enumerated() {
      set(jump)
      let bytes = DeletingTests.large + [UInt8(number)]
      kept.append(try await session.attach(.init(.bytes(bytes), madeBy: .user)))
      for age in [Duration.zero, .seconds(3600)] {
        #expect(try await store.sweep(olderThan: age) == Removal())
      }
    }
    feed.finish()
    #expect(try await Array(attaching.value.data()) == DeletingTests.large)
    for (number, attachment) in kept.enumerated() {
      #expect(try await Array(attachment.data()) == DeletingTests.large + [UInt8(number)])
    }
    #expect(try await store.verify(.init(readData: true)).isSound)
    await store.close()
  }
}
