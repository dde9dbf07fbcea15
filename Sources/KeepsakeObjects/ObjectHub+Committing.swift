#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import Keepsake

extension ObjectHub {
  package func commit(_ offers: [HubOffer]) async throws -> [HubAnswer] {
    try await run {
      // Offers of one session are answered in turn, because each may build on the offer before it.
      let groups = Dictionary(grouping: offers.indices) { offers[$0].session }
      let answered = try await Abreast.map(Array(groups.values)) { [self] indices in
        var answers: [(Int, HubAnswer)] = []
        for index in indices { answers.append((index, await answer(offers[index]))) }
        return answers
      }
      let answers = Dictionary(uniqueKeysWithValues: answered.joined())
      await feed.announce(
        offers.indices.compactMap { index in
          guard case .yes(let version) = answers[index] else { return nil }
          return HubHead(
            session: offers[index].session, version: version, stamp: offers[index].stamp)
        })
      return offers.indices.compactMap { answers[$0] }
    }
  }

  private func answer(_ offer: HubOffer) async -> HubAnswer {
    do { return try await take(offer) } catch {
      // The next one looks at what is there, and believes nothing that was seen before.
      known.forget(offer.session)
      return .failed(told(error))
    }
  }

  private func take(_ offer: HubOffer) async throws -> HubAnswer {
    guard offer.bytes.count <= VersionFile.largestCommit else {
      throw KeepsakeError(
        .tooLarge,
        "Can't send a commit of \(offer.bytes.count) bytes to a hub: \(VersionFile.largestCommit) are the most. "
          + "Write less at once.",
        object: offer.session.uuidString)
    }
    guard offer.base != offer.stamp else {
      throw KeepsakeError(
        .invalid, "Can't send a commit that builds on itself. Give each commit a stamp of its own.",
        object: offer.session.uuidString)
    }
    let fresh = known.fresh(offer.session)
    var newest =
      if let fresh, fresh.stamp == offer.base { fresh } else {
        try await newest(of: offer.session)
      }
    while true {
      guard newest?.stamp == offer.base else {
        guard let version = try await version(of: offer, upTo: newest) else { return .no(newest) }
        return try await looked(offer, version)
      }
      let missing = try await lacking(offer.artifacts)
      guard missing.isEmpty else { return .lacks(missing) }
      let next = (newest?.version ?? 0) + 1
      if try await create(offer, version: next) { return try await looked(offer, next) }
      // Somebody was first, or this very offer was: the object says whose it is.
      newest = try await self.newest(of: offer.session, least: next)
    }
  }

  /// Creates the object of a version; false where something has its number.
  private func create(_ offer: HubOffer, version: Int64) async throws -> Bool {
    let line = VersionFile(offer, version: version, hub: identity.id).line
    let key = keys.version(version, of: offer.session)
    switch try await store.put(key, line + offer.bytes, if: .absent) {
    case .refused: return false
    case .written(let etag):
      known.remember(
        HubHead(session: offer.session, version: version, stamp: offer.stamp), base: offer.base,
        etag: etag)
      return true
    }
  }

  /// Returns the number under which an offer is in already, however many came after it; nil where it is not.
  private func version(of offer: HubOffer, upTo newest: HubHead?) async throws -> Int64? {
    guard let newest else { return nil }
    guard newest.stamp != offer.stamp else { return newest.version }
    // Most who come too late are one version behind, which needs no look at an object.
    if let known = known[offer.session], known.head == newest, known.base == offer.base {
      return nil
    }
    guard offer.base != nil else {
      let first = try await line(1, of: offer.session).0
      return first.stamp == offer.stamp ? 1 : nil
    }
    // Only one version builds on the offer's base. If that is another one, the offer is not in.
    for version in stride(from: newest.version, through: 1, by: -1) {
      let found = try await line(version, of: offer.session).0
      if found.stamp == offer.stamp { return version }
      if found.base == offer.base || found.stamp == offer.base { return nil }
    }
    return nil
  }

  /// Looks once more whether the artifacts are there, which may have been removed while the offer was taken.
  private func looked(_ offer: HubOffer, _ version: Int64) async throws -> HubAnswer {
    let missing = try await lacking(offer.artifacts)
    return missing.isEmpty ? .yes(version: version) : .lacks(missing)
  }
}
