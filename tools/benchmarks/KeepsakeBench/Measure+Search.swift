import Foundation
import Keepsake
import KeepsakeBenchReport

extension Measure {
  static let indexing = Measure(
    names: ["search catches up, an entry"], run: measureIndexing)

  private static func measureIndexing(_ workshop: Workshop, _ names: [String]) async throws -> [Row]
  {
    let catchUp = try await workshop.withStores { store, plain in
      let session = try await store.createSession(title: "index")
      let texts = workshop.material.texts(1000)
      let plainTexts = PlainStore.Texts(texts)
      let entries = texts.indices.map { Entry.turn($0, texts[$0]) }
      return try await Comparison.rounds(workshop.rounds) {
        // Only the indexing is timed; by itself the store would begin with it a little later.
        try await session.append(entries)
        return try await microseconds { try await store.indexForSearch() } / 1000
      } against: {
        await microseconds { plain.index(plainTexts) } / 1000
      }
    }
    return [Row(names[0], catchUp, unit: "µs", goal: .ratioAtMost(1.3))]
  }

  static let searchEffect = Measure(
    names: ["append p50 with an index of search, against none"], run: measureSearchEffect)

  /// Two stores with the same entries, which were indexed in one of them.
  private static func measureSearchEffect(_ workshop: Workshop, _ names: [String]) async throws
    -> [Row]
  {
    var options = Store.Options()
    options.searchDelay = nil
    let texts = workshop.material.texts(1000)
    let entries = texts.indices.map { Entry.turn($0, texts[$0]) }
    let places = ["indexed.keepsake", "bare.keepsake"].map(workshop.place)
    var stores: [(store: Store, session: Session)] = []
    for place in places {
      let store = try await Store(at: place, options: options)
      for _ in 0..<20 { try await store.createSession(title: "before").append(entries) }
      stores.append((store, try await store.createSession(title: "now")))
    }
    try await stores[0].store.indexForSearch()
    func p50(_ session: Session) async throws -> Double {
      try await microseconds(of: 200) { try await session.append(.turn($0, texts[$0])) }.median
    }
    _ = try await p50(stores[0].session) + p50(stores[1].session)
    let comparison = try await Comparison.rounds(2 * workshop.rounds) {
      // So that each round has to put the session into the queue again.
      try await stores[0].store.indexForSearch()
      return try await p50(stores[0].session)
    } against: {
      try await p50(stores[1].session)
    }
    for (place, each) in zip(places, stores) {
      await each.store.close()
      try FileManager.default.removeItem(at: place)
    }
    return [Row(names[0], comparison, unit: "µs", goal: .ratioAtMost(1.05))]
  }
}
