#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Proves that a bucket does what it must do to hold a hub.
///
/// Two requests create one object, of which the second must be refused, and eight do so at once, of which one must win. Some
/// servers pass over the condition, or do not know it.
struct ObjectConditions: Sendable {
  private static let contenders = 8

  let store: ObjectStore
  let keys: ObjectKeys

  /// Proves the conditions on objects of its own, which are removed afterwards.
  /// - Throws: A ``KeepsakeError`` that says which condition does not hold, or that the bucket can't be written to.
  func prove() async throws {
    let name = "\(keys.proofs)\(UUID())"
    let names = ["\(name)-order", "\(name)-race"]
    do {
      try await proveOrder(names[0])
      try await proveRace(names[1])
    } catch {
      await remove(names)
      throw error
    }
    await remove(names)
  }

  private func proveOrder(_ key: String) async throws {
    // An attempt after a lost answer meets the first one's object, so that only what stands there tells who was first.
    _ = try await create(key, [1])
    guard try await content(key) == [1] else {
      throw refusal("an object that was written is not there, or holds other bytes")
    }
    guard try await create(key, [2]) == .refused else {
      throw refusal("its server creates an object that is there already")
    }
    guard try await content(key) == [1] else {
      throw refusal("its server replaces an object although it says that it does not")
    }
  }

  private func proveRace(_ key: String) async throws {
    let results = try await Abreast.map((0..<Self.contenders).map { UInt8($0) }) { number in
      (number, try await create(key, [number]))
    }
    let winners = results.filter { $0.1 != .refused }.map(\.0)
    guard winners.count <= 1 else {
      throw refusal("\(winners.count) of \(Self.contenders) created one object at once")
    }
    guard let content = try await content(key), content.count == 1,
      content[0] < Self.contenders, winners.isEmpty || winners == content
    else { throw refusal("an object holds other bytes than those of who created it") }
  }

  private func create(_ key: String, _ bytes: [UInt8]) async throws -> ObjectWriting {
    try await store.put(key, bytes, if: .absent)
  }

  private func content(_ key: String) async throws -> [UInt8]? {
    try await store.get(key, count: 16)?.bytes
  }

  /// Removes what was made; what can't be removed does no harm.
  private func remove(_ keys: [String]) async {
    do { _ = try await Abreast.map(keys) { try await store.delete($0) } } catch {}
  }

  private func refusal(_ reason: String) -> KeepsakeError {
    .objectsUnconditional("\(store.address)", reason)
  }
}
