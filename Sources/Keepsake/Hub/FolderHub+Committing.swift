#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

extension FolderHub {
  package func commit(_ offers: [HubOffer]) async throws -> [HubAnswer] {
    try Task.checkCancellation()
    try threads.requireOpen()
    // The hub answers offers of one session in turn, because each offer may build on the offer before it.
    let groups = Dictionary(grouping: offers.indices) { offers[$0].session }
    var answers: [Int: HubAnswer] = [:]
    await withTaskGroup(of: [(Int, HubAnswer)].self) { group in
      for (session, indices) in groups {
        group.addTask { [self] in
          do {
            return try await threads.run(inTurn: session) { [self] in
              indices.map { ($0, answer(offers[$0])) }
            }
          } catch {
            // The hub was closed meanwhile. What others of the call were told stays true.
            return indices.map { ($0, .failed(told(error, session))) }
          }
        }
      }
      for await some in group { for (index, answer) in some { answers[index] = answer } }
    }
    await announce(
      offers.indices.compactMap { index in
        guard case .yes(let version) = answers[index] else { return nil }
        return HubHead(
          session: offers[index].session, version: version, stamp: offers[index].stamp)
      })
    return offers.indices.compactMap { answers[$0] }
  }

  /// Answers one offer, on the calling thread.
  func answer(_ offer: HubOffer) -> HubAnswer {
    do { return try take(offer) } catch {
      // The next one looks at what is there, and believes nothing that was seen before.
      forget(offer.session)
      return .failed(told(error, offer.session))
    }
  }

  private func take(_ offer: HubOffer) throws -> HubAnswer {
    guard offer.bytes.count <= Self.largestCommit else {
      throw KeepsakeError(
        .tooLarge,
        "Can't send a commit of \(offer.bytes.count) bytes to a hub: \(Self.largestCommit) are the most. Write less at once.",
        object: offer.session.uuidString)
    }
    guard offer.base != offer.stamp else {
      throw KeepsakeError(
        .invalid, "Can't send a commit that builds on itself. Give each commit a stamp of its own.",
        object: offer.session.uuidString)
    }
    try requireInPlace()
    guard let folder = try offeredFolder(offer) else { return .no(nil) }
    var taken: Int64 = 0
    while true {
      let newest = try newest(of: offer.session, in: folder, least: taken)
      guard newest?.stamp == offer.base else {
        guard let version = try version(of: offer, upTo: newest, in: folder) else {
          return .no(newest)
        }
        return try settled(offer, version, in: folder)
      }
      let missing = try lacking(offer.artifacts)
      guard missing.isEmpty else { return .lacks(missing) }
      let next = (newest?.version ?? 0) + 1
      if try create(offer, version: next, in: folder) {
        remember(
          HubHead(session: offer.session, version: next, stamp: offer.stamp), base: offer.base)
        markDurable(offer.session)
        return try looked(offer, next)
      }
      // Somebody was first, or this very offer was: the file says whose it is.
      taken = next
    }
  }

  /// The folder of the offer's session, whose name is durable; nil where it has to be there and is not.
  private func offeredFolder(_ offer: HubOffer) throws -> Directory? {
    let name = Self.name(of: offer.session)
    let isDurable = known.withLock { $0[offer.session]?.isFolderDurable } ?? false
    if isDurable { return try folder(of: offer.session) }
    guard try offer.base == nil || sessions.exists(name) else { return nil }
    // The folder's name is synced even where it is there, because whoever made it may not have come so far.
    let folder = try sessions.subdirectory(name, create: true, mode: 0o777)
    try watch(.sessionMade)
    if try newest(of: offer.session, in: folder) != nil { markDurable(offer.session) }
    return folder
  }

  /// Creates the file of a version; false where something has its number.
  private func create(_ offer: HubOffer, version: Int64, in folder: Directory) throws -> Bool {
    do {
      let file = try NewFile(VersionFile.name(version), in: folder, mode: 0o444)
      try watch(.versionBegun)
      try file.write(VersionFile(offer, version: version, hub: identity.id).line)
      try watch(.versionHalf)
      try file.write(offer.bytes)
      try watch(.versionWritten)
      try file.finish()
    } catch let error as FileError where error.code == .exists { return false }
    try watch(.versionPlaced)
    return true
  }

  /// Returns the number under which an offer is in already, however many came after it; nil where it is not.
  private func version(
    of offer: HubOffer, upTo newest: HubHead?, in folder: Directory
  ) throws -> Int64? {
    guard let newest else { return nil }
    guard newest.stamp != offer.stamp else { return newest.version }
    // Most who come too late are one version behind, which needs no look at a file.
    if let known = known.withLock({ $0[offer.session] }), known.head == newest,
      known.base == offer.base
    {
      return nil
    }
    guard offer.base != nil else {
      let first = try head(1, of: offer.session, in: folder)
      return first.stamp == offer.stamp ? 1 : nil
    }
    // Only one version builds on the offer's base. If that is another one, the offer is not in.
    for version in stride(from: newest.version, through: 1, by: -1) {
      let found = try head(version, of: offer.session, in: folder)
      if found.stamp == offer.stamp { return version }
      if found.base == offer.base || found.stamp == offer.base { return nil }
    }
    return nil
  }

  /// The answer for an offer that is in: an earlier attempt may have ended before its name was durable.
  private func settled(
    _ offer: HubOffer, _ version: Int64, in folder: Directory
  ) throws -> HubAnswer {
    try folder.sync()
    return try looked(offer, version)
  }

  /// Looks once more whether the artifacts are there, which may have been removed while the offer was taken.
  private func looked(_ offer: HubOffer, _ version: Int64) throws -> HubAnswer {
    let missing = try lacking(offer.artifacts)
    return missing.isEmpty ? .yes(version: version) : .lacks(missing)
  }
}
