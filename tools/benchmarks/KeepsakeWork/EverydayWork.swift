import Foundation
import Keepsake
import KeepsakeFormats

/// The work that is counted: what an app does all day, on stores that are alike in every run.
struct EverydayWork {
  let folder: URL
  /// A transcript to import.
  let fixture: URL
  /// How often each piece is done in one sample.
  let times: Int

  private static let samples = 9

  func measured() async throws -> [String: Work] {
    var work: [String: Work] = [:]
    try await withStore("writing") { store in
      let session = try await fill(store, sessions: 40)
      work["append"] = try await measure { try await session.append(.prompt(text($0))) }
      work["append with 10 KB"] = try await measure {
        let image = Entry.NewAttachment(.bytes(bytes(10_000, $0)))
        try await session.append(.response(text($0)), attaching: [image])
      }
      work["append with 300 KB"] = try await measure {
        let image = Entry.NewAttachment(.bytes(bytes(300_000, $0)))
        try await session.append(.response(text($0)), attaching: [image])
      }
      work["append with 20 of 200 KB"] = try await measure { call in
        let images = (0..<20).map { Entry.NewAttachment(.bytes(bytes(200_000, call * 20 + $0))) }
        try await session.append(.response(text(call)), attaching: images)
      }
      let known = bytes(300_000, 0)
      work["attach 300 KB that are known"] = try await measure { _ in
        try await session.attach(Entry.NewAttachment(.bytes(known)))
      }
      work["append 100 entries"] = try await measure { _ in
        try await session.append((0..<100).map { .response(text($0)) })
      }
    }
    try await withStore("keys") { store in
      let session = try await fill(store, sessions: 40)
      func keyed(_ number: Int) -> Entry {
        var entry = Entry.response(text(number))
        entry.key = "a key that an app chose \(number)"
        return entry
      }
      try await session.append((0..<160).map(keyed))
      work["append 16 entries with keys, one by one"] = try await measure { call in
        for number in 0..<16 { try await session.append(keyed(160 + call * 16 + number)) }
      }
    }
    try await withStore("saving") { store in
      let session = try await fill(store, sessions: 40)
      var list = (0..<100).map { entry($0) }
      try await session.save(list)
      work["save 100 entries and a new one"] = try await measure {
        list.append(entry(100 + $0))
        try await session.save(list)
      }
    }
    try await withStore("reading") { store in
      try await measureReading(store, into: &work)
    }
    work["import a transcript"] = try await measureImport()
    return work
  }

  private func measureReading(_ store: Store, into work: inout [String: Work]) async throws {
    let session = try await fill(store, sessions: 60)
    try await session.append((0..<180).map { entry($0) })
    var drawn: Artifact?
    for number in 0..<20 {
      let call = Entry.ToolCall(tool: "GenerateImage", arguments: #"{"n": \#(number)}"#)
      try await session.append(.toolCalls([call]))
      drawn = try await session.attach(
        Entry.NewAttachment(.bytes(bytes(1000, number)), madeBy: .toolCall(call))
      ).artifact
    }
    try await store.indexForSearch()
    work["reload 200 entries"] = try await measure { _ in
      try expect(try await session.entries.all().count, 200)
    }
    work["the last 50 entries"] = try await measure { _ in
      try expect(try await session.entries(last: 50).count, 50)
    }
    work["a page of 50 sessions"] = try await measure { _ in
      try expect(try await store.sessions(limit: 50).sessions.count, 50)
    }
    work["a page of hits"] = try await measure { _ in
      try expect(try await store.search("banana", limit: 20).hits.count, 20)
    }
    guard let artifact = drawn else { throw Unexpected(found: 0, wanted: 1) }
    work["audit an artifact"] = try await measure { _ in
      try expect(try await store.audit(artifact.id).attachments.count, 1)
    }
    work["read an artifact again"] = try await measure { _ in
      try expect(try await artifact.data().count, Int(artifact.size))
    }
    // 1.2 MB in a circle: whichever is asked for, the others have taken its place.
    let many = try await store.createSession().attach(
      (0..<12).map { Entry.NewAttachment(.bytes(bytes(100_000, $0))) })
    for _ in 0..<2 { for attachment in many { _ = try await attachment.data() } }
    work["read one of more artifacts than are kept"] = try await measure { call in
      try expect(try await many[call % many.count].data().count, 100_000)
    }
    work["audit a page of a tool's artifacts"] = try await measure { _ in
      try expect(try await store.audit(tool: "GenerateImage", limit: 10).products.count, 10)
    }
    let illustrated = try await store.createSession()
    for number in 0..<200 {
      let images = number % 10 == 5 ? [Entry.NewAttachment(.bytes(bytes(1000, 100 + number)))] : []
      try await illustrated.append(entry(number), attaching: images)
    }
    try await store.indexForSearch()
    work["reload 200 entries with 20 images"] = try await measure { _ in
      let entries = try await illustrated.entries.all()
      try expect(entries.reduce(0) { $0 + $1.attachments.count }, 20)
    }
  }

  private func measureImport() async throws -> Work {
    // A transcript that a store knows adds nothing to it, so each gets one of its own.
    var stores: [Store] = []
    for number in 0..<((Self.samples + 2) * times) {
      stores.append(
        try await Store(at: folder.appending(path: "import-\(number)"), options: .quiet))
    }
    let work = try await measure { try await stores[$0].importFile(at: fixture) }
    for store in stores { await store.close() }
    return work
  }

  /// Gives a store some sessions of 20 entries, so that its tables are no longer a page each; gives a new one.
  private func fill(_ store: Store, sessions count: Int) async throws -> Session {
    for number in 0..<count {
      let session = try await store.createSession(title: "session \(number)")
      try await session.append((0..<20).map { entry($0) })
    }
    return try await store.createSession(title: "the one")
  }

  /// Counts one piece of work; it is told how often it was called before.
  private func measure(_ body: (Int) async throws -> Void) async throws -> Work {
    var calls = 0
    var samples: [Work] = []
    // The first ones prepare statements and load what is loaded once.
    for sample in -2..<Self.samples {
      let work = try await Work.of {
        for _ in 0..<times {
          try await body(calls)
          calls += 1
        }
      }
      if sample >= 0 { samples.append(work) }
    }
    return .median(of: samples)
  }

  private func withStore(_ name: String, _ body: (Store) async throws -> Void) async throws {
    let store = try await Store(at: folder.appending(path: name), options: .quiet)
    try await body(store)
    await store.close()
  }

  private func entry(_ number: Int) -> Entry {
    number.isMultiple(of: 2) ? .prompt(text(number)) : .response(text(number))
  }

  /// About 850 bytes, with its number in it.
  private func text(_ number: Int) -> String {
    "\(number): " + String(repeating: "a ripe banana on a table by the window, ", count: 21)
  }

  private func bytes(_ count: Int, _ number: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 7, count: count)
    for place in 0..<8 { bytes[place] = UInt8(truncatingIfNeeded: number >> (8 * place)) }
    bytes[8] = UInt8(truncatingIfNeeded: count >> 8)
    return bytes
  }

  private func expect(_ found: Int, _ wanted: Int) throws {
    guard found == wanted else { throw Unexpected(found: found, wanted: wanted) }
  }

  private struct Unexpected: Error {
    let found: Int
    let wanted: Int
  }
}

extension Store.Options {
  /// Search is not caught up with by itself, which would fall into whatever is measured then.
  fileprivate static var quiet: Store.Options {
    var options = Store.Options()
    options.searchDelay = nil
    return options
  }
}
