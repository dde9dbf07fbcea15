import Foundation
import Testing

@testable import Keepsake

/// A hub in a folder, and stores that joined it.
struct Mirrors {
  let folder: HubFolder
  let stores: [Store]

  var address: HubAddress { .folder(path: folder.path) }
  var first: Store { stores[0] }
  var second: Store { stores[1] }

  /// Makes a hub and some stores, each of which joins, unless told otherwise.
  static func make(
    _ count: Int = 2, joining: Bool = true, options: Store.Options = .withoutIndexing,
    _ body: (Mirrors) async throws -> Void
  ) async throws {
    let folder = try HubFolder()
    try await Store.makeHub(at: .folder(path: folder.path))
    var stores: [Store] = []
    do {
      for _ in 0..<count { stores.append(try await Store.temporary(options: options)) }
      let mirrors = Mirrors(folder: folder, stores: stores)
      if joining { for store in stores { try await store.join(mirrors.address) } }
      try await body(mirrors)
    } catch {
      for store in stores { try? await store.removeTemporary() }
      throw error
    }
    for store in stores { try await store.removeTemporary() }
  }

  /// Syncs each store, and then the earlier ones again, so that all have all.
  @discardableResult
  func sync() async throws -> [SyncReport] {
    var reports: [SyncReport] = []
    for store in stores { reports.append(try await store.sync()) }
    for store in stores { reports.append(try await store.sync()) }
    return reports
  }

  /// Expects that all stores say the same, and are sound.
  func requireSame(_ what: Comment = "") async throws {
    for other in stores.dropFirst() {
      let difference = try await CommitPair(first: first, second: other).difference(isLate: true)
      try #require(difference == nil, what)
    }
    for store in stores { try await store.requireSound(what) }
  }

  /// Expects that no store leaves a session aside, or has something to tell or to take over.
  func requireInStep() async throws {
    for store in stores {
      #expect(try await store.membership()?.aside == [])
      #expect(try await store.membership()?.waiting == 0)
      #expect(try await store.sync() == SyncReport())
    }
  }

  /// Expects that the hub is sound, and that a sweep takes nothing from it that a store needs which joins later.
  func requireSoundHub(_ what: Comment = "") async throws {
    let report = try await Store.checkHub(at: address, readingData: true)
    #expect(report.isSound, "\(report.findings) \(what)")
    try await Store.sweepHub(at: address, olderThan: .zero)
    let after = try await Store.checkHub(at: address, readingData: true)
    #expect(after.findings == [] && after.unused == 0, what)
    #expect(after.sessions == report.sessions && after.deleted == report.deleted)
    #expect(
      try await Store.sweepHub(at: address, olderThan: .zero, isPreview: true) == HubSwept(), what)
    let late = try await Store.temporary(options: .withoutIndexing)
    try await late.join(address)
    let sync = try await late.sync()
    #expect(sync.failed.isEmpty && sync.aside.isEmpty, "\(sync) \(what)")
    let difference = try await CommitPair(first: first, second: late).difference(isLate: true)
    #expect(difference == nil, what)
    try await late.removeTemporary()
  }
}

extension Store {
  /// Expects that a verification finds no damage.
  func requireSound(_ what: Comment = "") async throws {
    let report = try await verify(.init(readData: true))
    #expect(report.findings.filter { $0.severity != .harmless }.isEmpty, what)
  }

  /// Counts the entries of a deleted session that are here for its forks.
  func entriesKept(of session: UUID) throws -> Int {
    try handle.read { db in
      guard let known = try db.sessions.standing(of: session.bytes) else { return 0 }
      return try SessionRow(known.number, id: session, orPurged: true, in: db).entries
    }
  }

  /// Opens the store's folder as another process does.
  func asAnotherProcess(options: Options = .withoutIndexing) throws -> Store {
    try Store(path: url.path, options: options, registry: StoreRegistry())
  }
}
