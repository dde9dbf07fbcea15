import Foundation
import Keepsake

/// A process that reads a store while others write.
///
/// Each round opens the store, reads, and reads more through what is open. It says how often it read, how many of the
/// reads failed, how long the slowest took, and what the failures were.
struct Reading {
  private let path: String
  private var reads = Int.max
  private var time: Duration = .seconds(86_400)
  /// Reads through one opening.
  private var each = 10
  /// How it is opened; for reading alone no byte of the store is changed.
  private var access = Store.Options.Access.readOnly

  init(_ arguments: inout Arguments) throws {
    path = try arguments.required("STORE")
    while let option = arguments.next() {
      switch option {
      case "--reads": reads = try arguments.number(option)
      case "--seconds": time = .seconds(try arguments.number(option))
      case "--each": each = try arguments.number(option)
      case "--writable": access = .readWriteExisting
      default: throw Failure("there is no option '\(option)'.")
      }
    }
  }

  func run() async throws {
    var done = 0
    var slowest: Duration = .zero
    var failures: [String: Int] = [:]
    let clock = ContinuousClock()
    let end = clock.now + time
    func timed<Result>(_ body: () async throws -> Result) async -> Result? {
      let start = clock.now
      defer {
        done += 1
        slowest = max(slowest, clock.now - start)
      }
      do { return try await body() } catch {
        failures["\(error)", default: 0] += 1
        return nil
      }
    }
    func isOver() -> Bool { done >= reads || clock.now >= end }
    while !isOver() {
      let options = Store.Options(access: access)
      guard let store = await timed({ try await Store(at: URL(filePath: path), options: options) })
      else { continue }
      var left = each - 1
      while left > 0, !isOver() {
        await timed { try await read(store) }
        left -= 1
      }
      await store.close()
    }
    let failed = failures.values.reduce(0, +)
    let slow = Int(slowest / .milliseconds(1))
    print("reads \(done) failed \(failed) slowest-ms \(slow)")
    for (message, count) in failures { print("failure \(count) \(message)") }
  }

  private func read(_ store: Store) async throws {
    guard let first = try await store.sessions(limit: 1).sessions.first else { return }
    let session = try await store.session(first.id)
    let count = try await session.count()
    guard try await session.entries(last: 5).count >= min(5, count) else {
      throw Failure("entries are missing at the end.")
    }
  }
}
