import Foundation
import Keepsake
import KeepsakeBenchReport

/// How the cost of everyday work grows with what is in the store: the same work on stores of 10⁴, 10⁵, 10⁶ … entries,
/// measured by turns.
struct Scale {
  private let workshop: Workshop
  private let sizes: [Int]
  private let say: (String) -> Void

  /// - Parameters:
  ///   - workshop: Where the stores are made.
  ///   - sizes: The entries in each, the smallest store first.
  ///   - say: Is told how long each part took.
  init(_ workshop: Workshop, sizes: [Int], say: @escaping (String) -> Void = { _ in }) {
    self.workshop = workshop
    self.sizes = sizes
    self.say = say
  }

  /// All works on all stores, and the command on the largest one.
  func rows() async throws -> [Row] {
    try await withStores { stores in
      var rows: [Row] = []
      for work in ScaledWork.all {
        let comparisons = try await measure(work, on: stores)
        for (size, comparison) in zip(sizes, comparisons) {
          rows.append(Self.row("\(work.name), of \(size)", comparison, work.limit, size))
        }
      }
      if let largest = stores.last { rows += try await CommandFigures(workshop, largest).rows() }
      return rows
    }
  }

  /// All works on the largest store, against the smallest one.
  func ofLargest(_ names: [String]) async throws -> [Row] {
    try await withStores { stores in
      var rows: [Row] = []
      for (name, work) in zip(names, ScaledWork.all) {
        guard let comparison = try await measure(work, on: stores).last, let size = sizes.last
        else { continue }
        rows.append(Self.row(name, comparison, work.limit, size))
      }
      return rows
    }
  }

  private func withStores<Result>(_ body: ([LargeStore]) async throws -> Result) async throws
    -> Result
  {
    var stores: [LargeStore] = []
    for size in sizes {
      let place = workshop.place("\(size).keepsake")
      let time = try await microseconds {
        stores.append(try await LargeStore(of: size, at: place, &workshop.material))
      }
      say("\((time / 1e6).hundredths) s: a store of \(size) entries")
    }
    let result = try await body(stores)
    for store in stores { try await store.remove() }
    return result
  }

  /// For each store what the work costs, against the smallest one.
  private func measure(_ work: ScaledWork, on stores: [LargeStore]) async throws -> [Comparison] {
    var medians = [[Double]](repeating: [], count: stores.count)
    let time = try await microseconds {
      for round in -1..<workshop.rounds {
        // By turns in either order, so that none always runs on what the same other one left behind.
        let order = round.isMultiple(of: 2) ? Array(stores.indices) : stores.indices.reversed()
        for index in order {
          let samples = try await microseconds(of: work.times) { _ in
            try await work.body(stores[index])
          }
          if round >= 0 { medians[index].append(samples.median) }
        }
      }
      // What was appended would else wait, and be read by each search.
      for store in stores { try await store.store.indexForSearch() }
    }
    say("\((time / 1e6).hundredths) s: \(work.name)")
    return medians.map { values in
      var comparison = Comparison()
      for (value, least) in zip(values, medians[0]) { comparison.add(value, against: least) }
      return comparison
    }
  }

  private static func row(
    _ name: String, _ comparison: Comparison, _ limit: ScaledWork.Limit, _ size: Int
  ) -> Row {
    switch limit {
    case .growth(let most):
      // A decade more may cost what another level of a B-tree costs.
      Row(
        name, comparison, unit: "µs",
        goal: .ratioAtMost(size > 1_000_000 ? max(most, 2) : most))
    case .microseconds(let most):
      Row(
        name, value: comparison.value, yardstick: comparison.yardstick, ratio: comparison.ratio,
        unit: "µs", goal: .valueAtMost(most))
    }
  }
}
