import Foundation
import Testing

@testable import Keepsake

/// Two stores change and fork the same session, one of them deletes it, and a third store has neither of these changes. The forks are of one
/// past each, and both have to come to all stores.
@Suite struct `Forks of a session that went on in two stores and was deleted` {
  enum Deed: CaseIterable { case erases, appends }

  /// Tells when a store forks the session.
  enum Moment: CaseIterable {
    /// The fork shares what all stores have. The deleting store's fork shares the first entry alone.
    case before
    /// The fork is made of a change that only its store has.
    case after
  }

  @Test(
    arguments: Deed.allCases.flatMap { first in Deed.allCases.map { [first, $0] } }, Moment.allCases
  )
  func `come to all stores`(deeds: [Deed], moment: Moment) async throws {
    for order in [[0, 1, 2], [1, 0, 2], [2, 0, 1]] {
      for areBothDeleted in [false, true] {
        try await come(deeds, moment, order: order, areBothDeleted: areBothDeleted)
      }
    }
  }

  /// The store that deletes the session has a fork of it, and does not know that another store has erased something.
  @Test func `keep what was erased before out of the hub`() async throws {
    try await Mirrors.make(3) { mirrors in
      let made = try await mirrors.first.createSession()
      for text in ["a", "b"] { try await made.append(.prompt(text)) }
      let fork = try await made.fork(before: 2)
      try await mirrors.sync()
      try await mirrors.second.session(made.id).erase(0)
      try await mirrors.first.deleteSession(made.id)
      var pasts = HubPasts()
      try await mirrors.second.sync()
      try await pasts.read(mirrors)
      try await mirrors.first.sync()
      try await pasts.read(mirrors)
      let hub = try await FolderHub.open(at: mirrors.folder.path)
      let told = try await hub.allVersions(of: made.id).flatMap(\.commit.records)
      #expect(told.filter { $0.kind == .entry }.map { $0["body"].isNull } == [true, false])
      await hub.close()
      for _ in 0..<2 { try await mirrors.sync() }
      for store in mirrors.stores {
        #expect(try await store.session(fork.id).entries.all().map(\.text) == ["", "b"])
      }
      try await mirrors.requireSame()
      try await mirrors.requireInStep()
      try await mirrors.requireErased()
      try await mirrors.requireSoundHub()
    }
  }

  private func come(
    _ deeds: [Deed], _ moment: Moment, order: [Int], areBothDeleted: Bool
  ) async throws {
    let what: Comment = "order \(order), deleted \(areBothDeleted ? "twice" : "once")"
    try await Mirrors.make(3) { mirrors in
      let made = try await mirrors.first.createSession()
      for text in ["a", "b", "c"] { try await made.append(.prompt(text)) }
      try await mirrors.sync()
      var forks: [UUID: [String]] = [:]
      for (index, deed) in deeds.enumerated() {
        let session = try await mirrors.stores[index].session(made.id)
        var fork: Session?
        if moment == .before { fork = try await session.fork(before: index == 0 ? 1 : 3) }
        switch deed {
        case .erases: try await session.erase(index + 1)
        case .appends: try await session.append(.prompt("more \(index)"))
        }
        let whole = try await session.count()
        let last = if let fork { fork } else { try await session.fork(before: whole) }
        try await last.append(.prompt("fork \(index)"))
        forks[last.id] = try await last.entries.all().map(\.text)
        if index == 0 || areBothDeleted { try await mirrors.stores[index].deleteSession(made.id) }
      }
      var pasts = HubPasts()
      for index in order {
        try await mirrors.stores[index].sync()
        try await pasts.read(mirrors, what)
      }
      for _ in 0..<3 {
        try await mirrors.sync()
        try await pasts.read(mirrors, what)
      }
      try await mirrors.requireSame(what)
      for store in mirrors.stores {
        for (fork, texts) in forks {
          let shown = try await store.session(fork).entries.all().map(\.text)
          // An entry that the other store erased is erased in all forks.
          #expect(shown.count == texts.count, what)
          for (shown, text) in zip(shown, texts) { #expect(shown == text || shown.isEmpty, what) }
          #expect(shown.first == "a" && shown.last == texts.last, what)
        }
      }
      try await mirrors.requireInStep()
      try await mirrors.requireSoundHub(what)
    }
  }
}
