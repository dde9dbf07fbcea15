import KeepsakeTestSupport
import Foundation

@testable import Keepsake

/// A history of a store, made at random: each step does one thing that an app could do.
///
/// The seed alone decides what each step does, as long as nobody else writes to the store. The ids that the store gives are
/// its own affair. No step leaves anything running that it began.
struct RandomHistory {
  /// The fewest and the most sessions that a history keeps, once it has begun.
  static let sessions = 1...6

  var random: SeededGenerator
  /// The steps that a history may do.
  var steps = Step.allCases
  /// The sessions that are there, in the order in which they came.
  var talks: [Talk] = []
  /// The foreign files that were imported, as they were at last, while their sessions are there.
  var files: [ForeignFile] = []
  /// The number of times that each step was done.
  private(set) var done: [Step: Int] = [:]
  /// The step that the present one turned out to be, where the store decides that; nil for the step itself.
  var actual: Step?
  /// The number of words and names that were given out, each of which is given once.
  var given = 0

  /// A session that the history made, with a short name for messages.
  struct Talk {
    let session: Session
    let name: String
    /// The drafts of the session that are open.
    var drafts: [Draft] = []
  }

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  /// Does one step on the store, and returns what it did, in a few words for messages of failing tests.
  ///
  /// A step for which the store has nothing, such as closing a turn when none is open, is passed over for another.
  mutating func step(on store: Store) async throws -> String {
    var steps = steps
    while let step = choose(from: steps) {
      do {
        actual = nil
        if let deed = try await perform(step, on: store) {
          done[actual ?? step, default: 0] += 1
          return "\(actual ?? step): \(deed)"
        }
      } catch {
        throw Failure(step: step, cause: error)
      }
      steps.removeAll { $0 == step }
    }
    throw Failure(step: nil, cause: nil)
  }

  /// An error of the store in a step, or of a history that finds nothing to do.
  struct Failure: Error {
    let step: Step?
    let cause: (any Error)?
  }

  /// Chooses one of some steps. A step that was not done yet is likelier, and the more so the longer the history goes on, so
  /// that a short history has nearly all of them.
  private mutating func choose(from steps: [Step]) -> Step? {
    let new = 5 + done.values.reduce(0, +) / 8
    let weights = steps.map { step in
      step.weight * (done[step] == nil ? new : 1) * (step.deletes && !hasRoom ? 3 : 1)
    }
    var left = Int.random(in: 0..<max(1, weights.reduce(0, +)), using: &random)
    for (step, weight) in zip(steps, weights) {
      if left < weight { return step }
      left -= weight
    }
    return nil
  }
}

// MARK: - Choosing

extension RandomHistory {
  /// Tells whether there may be one more session.
  var hasRoom: Bool { talks.count < Self.sessions.upperBound }

  /// Tells whether a new conversation may begin. The last place is left for what parts ways.
  var hasRoomForAnother: Bool { talks.count < Self.sessions.upperBound - 1 }

  mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func one<Item>(of items: [Item]) -> Item? { items.randomElement(using: &random) }

  /// Chooses a session, and something of it; nil if no session has anything of the kind.
  mutating func choose<Found>(_ find: (Talk) async throws -> [Found]) async throws
    -> (talk: Talk, found: Found)?
  {
    for talk in talks.shuffled(using: &random) {
      if let found = try await one(of: find(talk)) { return (talk, found) }
    }
    return nil
  }

  /// Chooses the session that somebody says something in. This is rarely one that was imported, whose file could not be
  /// continued afterwards.
  mutating func speaker() -> Talk? {
    let imported = Set(files.map(\.session))
    let own = talks.filter { !imported.contains($0.session.id) }
    return own.isEmpty || chance(10) ? one(of: talks) : one(of: own)
  }

  /// Chooses a position of a session at which an entry stands; nil if the session has none.
  mutating func position(in session: Session) async throws -> Int? {
    let count = try await session.count()
    return count == 0 ? nil : number(0...(count - 1))
  }
}

// MARK: - Inventing

extension RandomHistory {
  /// Makes a name that nothing else has.
  mutating func name(_ kind: String) -> String {
    given += 1
    return "\(kind) \(given)"
  }

  /// Makes a short text that nothing else has.
  mutating func text() -> String {
    let fruits = ["apple", "banana", "cherry", "damson", "elderberry", "fig", "grape", "quince 🍐"]
    let count = number(1...6)
    return name((0..<count).map { _ in one(of: fruits) ?? "" }.joined(separator: " "))
  }

  /// Makes bytes, some of which an artifact has already; few of them are so many that they become a file.
  mutating func bytes() -> [UInt8] {
    if chance(15) { return Array("the same bytes again".utf8) }
    if chance(10), let png = Data(base64Encoded: Pixel.png) { return Array(png) }
    let bytes = Array(text().utf8)
    if chance(15) {
      return Array(repeatElement(bytes, count: 100_000 / bytes.count + 1).joined())
    }
    return chance(50)
      ? bytes : bytes + (0..<number(1...3000)).map { UInt8(truncatingIfNeeded: $0 &* 7) }
  }

  mutating func tags() -> [String] {
    ["red", "green", "blue", "ripe"].shuffled(using: &random).dropLast(number(0...4))
  }

  mutating func lane() -> String? { chance(25) ? one(of: ["chat", "router"]) : nil }
}
