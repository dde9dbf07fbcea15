#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import Keepsake

extension ObjectHub {
  /// Opens the hub at a place in a bucket, and proves that of several who take one number only one can win.
  ///
  /// - Parameters:
  ///   - address: The address of the place: `s3://bucket/prefix`.
  ///   - settings: Where the server is, and with which keys it is used.
  ///   - id: The id that the hub has to have; nil for whatever hub is there.
  ///   - peer: The name under which changes are told to others.
  ///   - mayMake: Whether a missing hub is made, where nothing else is. The bucket has to be there.
  ///   - patience: How long the server is asked again.
  ///   - freshness: The time for which a version that was seen is built on without another look.
  /// - Returns: The open hub.
  /// - Throws: A ``KeepsakeError`` with a ``HubFault`` as its cause.
  package static func open(
    at address: String, _ settings: ObjectSettings, expecting id: UUID? = nil,
    peer: HubPeer = HubPeer(), making mayMake: Bool = false,
    patience: ObjectPatience = .init(), freshness: Duration = .seconds(2)
  ) async throws -> ObjectHub {
    let store = try ObjectStore(try ObjectAddress(address), settings, patience: patience)
    do {
      let found = try await prepare(store, making: mayMake)
      if let id, id != found {
        throw KeepsakeError.anotherHub("\(store.address)", id: found, expected: id)
      }
      return ObjectHub(store, id: found, peer: peer, freshness: freshness)
    } catch {
      await store.close()
      throw error
    }
  }

  private static func prepare(_ store: ObjectStore, making mayMake: Bool) async throws -> UUID {
    let (address, keys) = ("\(store.address)", ObjectKeys(store.address))
    let isThere = try await content(store, keys) != nil
    if !isThere {
      if let refusal = try await refusal(store, keys) {
        // Another store may have made the hub meanwhile, so that what was found is its own.
        guard try await content(store, keys) != nil else { throw refusal }
      }
      guard mayMake else { throw KeepsakeError.noHub(address) }
    }
    try await ObjectConditions(store: store, keys: keys).prove()
    if !isThere {
      // Where another store was first, its hub is this one's, too.
      _ = try await store.put(keys.hub, HubFile.content(UUID()), if: .absent)
    }
    guard let content = try await content(store, keys) else {
      throw KeepsakeError.damagedHub(address, "'\(HubFile.name)' is gone")
    }
    return try HubFile.id(content, of: address)
  }

  private static func content(_ store: ObjectStore, _ keys: ObjectKeys) async throws -> [UInt8]? {
    try await store.get(keys.hub, count: 64 << 10)?.bytes
  }

  /// The reason why no hub can be made at a place; nil where it is empty, but for what an opening leaves.
  private static func refusal(
    _ store: ObjectStore, _ keys: ObjectKeys
  ) async throws -> KeepsakeError? {
    let page = try await store.list(keys.prefix, delimiter: "/")
    // Some programs make an object with the name of a folder.
    if page.entries.contains(where: { $0.key != keys.prefix }) || page.next != nil {
      return .objectsNotAHub("\(store.address)")
    }
    let own = [keys.sessions, keys.artifacts, keys.feed, keys.notes]
    for prefix in page.prefixes where prefix != keys.proofs {
      // Some servers list a folder that is empty.
      guard try await !store.list(prefix, limit: 1).entries.isEmpty else { continue }
      guard own.contains(prefix) else { return .objectsNotAHub("\(store.address)") }
      return .damagedHub(
        "\(store.address)", "'\(HubFile.name)' is gone, and its other objects are there")
    }
    return nil
  }
}
