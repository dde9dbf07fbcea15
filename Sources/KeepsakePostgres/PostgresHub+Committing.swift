#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import Keepsake
import KeepsakeFiles

extension PostgresHub {
  /// The most offers of one statement, and about the most bytes.
  private static let batch = (offers: 256, bytes: 32 << 20)
  /// The most bytes that are sent on the thread of the caller, which the system takes without waiting for the server.
  private static let mostAtOnce = 64 << 10
  /// The most bytes that are sent while a store has something open. More may take longer to send than the store can wait.
  private static let mostOpen = 256 << 10

  package func commit(_ offers: [HubOffer]) async throws -> [HubAnswer] {
    try Task.checkCancellation()
    // Calls for one session alone come in turn here, so that they do not hold a connection each while they wait at the server.
    let sessions = Set(offers.map(\.session))
    return try await threads.run(inTurn: sessions.count == 1 ? sessions.first : nil) { [self] in
      answers(to: offers)
    }
  }

  package func exchange(
    bytes: Int, _ work: @escaping HubExchange
  ) async throws -> [HubAnswer]? {
    try Task.checkCancellation()
    let begun = Locked<PostgresOffering?>(nil)
    return try await threads.run(
      beginning: { [self] in
        if bytes > Self.mostAtOnce { return nil }
        guard let offering = begin(work) else { return .some(nil) }
        if let answers = offering.answers(within: .zero) {
          connections.give(offering.connection.connection)
          return answers
        }
        begun.withLock { $0 = offering }
        return nil
      },
      { [self] in
        let offering = begun.withLock { $0 } ?? begin(work)
        return offering.map { together($0.offers, sent: $0) }
      })
  }

  /// Runs work that offers commits; nil if it made no offers. The offers keep the connection over which they were sent.
  private func begin(_ work: HubExchange) -> PostgresOffering? {
    guard let connection = connections.takeReady(for: PostgresCommit.plain) else { return nil }
    let sent = Locked<PostgresOffering?>(nil)
    work { [self] offers in
      guard isPlain(offers) else { return nil }
      let offering = PostgresOffering(
        offers, request(taking: offers), over: connection, within: patience.statement)
      offering.giveWay()
      sent.withLock { $0 = offering }
      return { offering.answers(within: $0) }
    }
    let offering = sent.withLock { $0 }
    if offering == nil { connections.give(connection.connection) }
    return offering
  }

  /// Tells whether offers are small, can be sent together by the statement for offers without artifacts, and none of their sessions is held.
  /// In the transaction that holds a session, the server's answer counts only after the end of that transaction.
  private func isPlain(_ offers: [HubOffer]) -> Bool {
    offers.allSatisfy { $0.artifacts.isEmpty && refusal(of: $0) == nil && !holds($0.session) }
      && offers.reduce(0) { $0 + $1.bytes.count } <= Self.mostOpen
      && chosen(of: offers, at: Array(offers.indices)).count == offers.count
  }

  private func answers(to offers: [HubOffer]) -> [HubAnswer] {
    var answers: [HubAnswer?] = offers.map { refusal(of: $0).map(HubAnswer.failed) }
    // Offers for sessions that this hub object holds come first, each in a statement of its own. Two stores that each hold a session and
    // wait for the other store's session would wait for each other.
    for index in offers.indices where answers[index] == nil && holds(offers[index].session) {
      answers[index] = together([offers[index]])[0]
    }
    while true {
      let chosen = chosen(of: offers, at: offers.indices.filter { answers[$0] == nil })
      guard !chosen.isEmpty else { return answers.compactMap { $0 } }
      for (index, answer) in zip(chosen, together(chosen.map { offers[$0] })) {
        answers[index] = answer
      }
    }
  }

  /// Chooses the offers that go in the next statement, by their places.
  ///
  /// An offer may build on another one of the same session in the same call, and a new fork gets the terms of its origin. Such offers go in
  /// different statements, in their order.
  private func chosen(of offers: [HubOffer], at places: [Int]) -> [Int] {
    var (chosen, sessions, bytes): ([Int], Set<UUID>, Int) = ([], [], 0)
    for index in places {
      let size = offers[index].bytes.count
      guard chosen.isEmpty || chosen.count < Self.batch.offers && bytes + size <= Self.batch.bytes
      else { break }
      let origin = offers[index].listing.origin
      let mayComeNow = origin.map { !sessions.contains($0) } ?? true
      guard sessions.insert(offers[index].session).inserted, mayComeNow else {
        // If an offer waits, later offers of the same session and of the session's origin wait, too.
        if let origin { sessions.insert(origin) }
        continue
      }
      chosen.append(index)
      bytes += size
    }
    return chosen
  }

  private func refusal(of offer: HubOffer) -> KeepsakeError? {
    if offer.bytes.count > Self.largestCommit {
      return KeepsakeError(
        .tooLarge,
        "Can't send a commit of \(offer.bytes.count) bytes to a hub in PostgreSQL: \(Self.largestCommit) are the most. Write less at once.",
        object: offer.session.uuidString)
    }
    guard offer.base == offer.stamp else { return nil }
    return KeepsakeError(
      .invalid, "Can't send a commit that builds on itself. Give each commit a stamp of its own.",
      object: offer.session.uuidString)
  }

  /// Answers offers of different sessions.
  /// - Parameters:
  ///   - offers: The offers.
  ///   - offering: The first attempt, if it was sent before.
  private func together(
    _ offers: [HubOffer], sent offering: PostgresOffering? = nil
  ) -> [HubAnswer] {
    var offering = offering
    var attempts = PostgresAttempts(patience)
    var answers: [HubAnswer?] = offers.map { _ in nil }
    while true {
      let open = offers.indices.filter { answers[$0] == nil }
      guard !open.isEmpty else { return answers.compactMap { $0 } }
      do {
        let given =
          if let sent = offering.take() {
            try connections.with(sent.connection) { try decide(sent.offers, sent.answer(), $0) }
          } else {
            try once(open.map { offers[$0] })
          }
        for (index, answer) in zip(open, given) { answers[index] = answer }
        // An offer without an answer met another one that was under way, whose end the next statement sees.
        if answers.contains(where: { $0 == nil }) { throw Self.met }
      } catch let failure as PostgresFailure {
        if attempts.mayGoOn(after: failure) { continue }
        // The offers are sent one by one now, so that a session with wrong rows does not stop the other sessions.
        let isAlone = open.count == 1 || failure.state == nil || failure.isPassing
        for index in offers.indices where answers[index] == nil {
          answers[index] =
            isAlone
            ? .failed(told(failure, offers[index], attempts)) : together([offers[index]])[0]
        }
      } catch {
        for index in offers.indices where answers[index] == nil {
          answers[index] = .failed(told(error, offers[index], attempts))
        }
      }
    }
  }

  private static let met = PostgresFailure(
    kind: .refused("40001"), reason: "others wrote the same session at the same time")

  private func told(
    _ failure: PostgresFailure, _ offer: HubOffer, _ attempts: PostgresAttempts
  ) -> KeepsakeError {
    if attempts.isUnknown, failure.isPassing {
      return .unknownInPostgres(offer.session, address, failure.reason)
    }
    guard failure.state == "23505" else { return .postgres(address, failure) }
    return damaged(offer.session, "it has a version behind the one that its head names")
  }

  private func told(
    _ error: any Error, _ offer: HubOffer, _ attempts: PostgresAttempts
  ) -> KeepsakeError {
    let error = told(error)
    // If an attempt got no answer, the hub may have taken the commit before it was upgraded.
    guard attempts.isUnknown, error.cause as? HubFault == .newer else { return error }
    return .unknownInPostgres(offer.session, address, error.message)
  }

  /// The statement that takes offers of different sessions, with its values.
  package func request(taking offers: [HubOffer]) -> PostgresRequest {
    let needs = offers.enumerated().flatMap { number, offer in
      Set(offer.artifacts).map { (Int32(number + 1), $0.digest) }
    }
    var values: [PostgresValue] = [
      .number(space), .id(identity.id), .list(of: offers.map { $0.session }),
      .list(of: offers.map { $0.base }), .list(of: offers.map { $0.stamp }),
      .list(of: offers.map { SHA256.digest(of: $0.bytes).bytes }),
      .list(of: offers.map { $0.bytes }),
    ]
    let terms = offers.enumerated().flatMap { number, offer in
      offer.listing.terms.map { (Int32(number + 1), $0) }
    }
    values += [
      .list(of: offers.map { $0.listing.updated }),
      .list(of: offers.map { $0.listing.kindsReplaced }),
      .list(of: offers.map { $0.listing.origin }),
      .list(of: terms.map { $0.0 }), .list(of: terms.map { $0.1.kind.rawValue }),
      .list(of: terms.map { $0.1.hash }),
    ]
    if !needs.isEmpty {
      values += [.list(of: needs.map { $0.0 }), .list(of: needs.map { $0.1.bytes })]
    }
    return PostgresRequest(
      needs.isEmpty ? PostgresCommit.plain : PostgresCommit.withArtifacts, values)
  }

  /// Sends the statement once, and decides for each offer; nil for one that has to be asked for again.
  private func once(_ offers: [HubOffer]) throws -> [HubAnswer?] {
    let request = request(taking: offers)
    if offers.count == 1, let held = try runAndRelease(request, offers[0].session) {
      return try connections.with(held.connection) { try decide(offers, held.rows, $0) }
    }
    return try connections.withConnection { connection in
      let offering = PostgresOffering(offers, request, over: connection, within: patience.statement)
      return try decide(offers, offering.answer(), connection)
    }
  }

  /// Decides for each of the offers that were sent; nil for one that has to be asked for again.
  private func decide(
    _ offers: [HubOffer], _ rows: [PostgresRow], _ connection: PostgresSession
  ) throws -> [HubAnswer?] {
    if rows.isEmpty { throw KeepsakeError.newerPostgresHub(address) }
    var answers: [HubAnswer?] = offers.map { _ in nil }
    for row in rows {
      let number = try Int(row.number(0)) - 1
      guard offers.indices.contains(number) else {
        throw PostgresFailure.strange("an answer to no offer")
      }
      answers[number] = try decide(offers[number], row, connection)
    }
    return answers
  }

  private func decide(
    _ offer: HubOffer, _ row: PostgresRow, _ connection: PostgresSession
  ) throws -> HubAnswer? {
    let isLacking = try row.bool(2)
    if !row.isNull(1) { return .yes(version: try row.number(1)) }
    guard !row.isNull(3) else {
      if isLacking, offer.base == nil { return try lacking(offer, connection) }
      return offer.base == nil ? nil : .no(nil)
    }
    let (version, stamp, base) = try (row.number(3), row.id(4), row.optionalID(5))
    guard try row.digest(6) == seal.head(offer.session, version, stamp, base) else {
      return .failed(damaged(offer.session, "the row of its newest version was altered"))
    }
    let head = HubHead(session: offer.session, version: version, stamp: stamp)
    if stamp == offer.base {
      // The row fits, so that only artifacts can have been in the way.
      return isLacking ? try lacking(offer, connection) : nil
    }
    var taken: Int64?
    if stamp == offer.stamp {
      taken = version
    } else if base != offer.base {
      do { taken = try self.version(of: offer, upTo: version, connection) } catch let error
        as KeepsakeError
      { return .failed(error) }
    }
    guard let taken else { return .no(head) }
    return isLacking ? try lacking(offer, connection) : .yes(version: taken)
  }

  /// The artifacts of an offer that are not there; nil where they came meanwhile, so that the offer is made again.
  private func lacking(
    _ offer: HubOffer, _ connection: PostgresSession
  ) throws -> HubAnswer? {
    let missing = try missing(of: offer.artifacts, connection)
    return missing.isEmpty ? nil : .lacks(missing)
  }
}

// MARK: - Looking for an offer that was taken before

extension PostgresHub {
  private static let step: Int64 = 64

  /// Looks for the version that an offer became, from the newest one back.
  ///
  /// The session's row was locked before, so that an earlier attempt is over. Only one version builds on the offer's base: where
  /// that is another one, the offer was never taken.
  /// - Returns: The number of the version; nil where the offer was not taken.
  private func version(
    of offer: HubOffer, upTo newest: Int64, _ connection: PostgresSession
  ) throws -> Int64? {
    // A first version can only be the first.
    var next = offer.base == nil ? 1 : newest
    while next > 0 {
      let rows = try connection.run(
        PostgresCommit.look,
        [
          .number(space), .id(offer.session), .number(max(1, next - Self.step + 1)), .number(next),
        ], within: patience.statement)
      for row in rows {
        let (version, stamp, base) = try (row.number(0), row.id(1), row.optionalID(2))
        guard version == next else { break }
        guard let digest = try row.digest(3),
          try row.digest(4) == seal.version(offer.session, version, stamp, base, digest: digest)
        else { throw damaged(offer.session, "the row of version \(version) was altered") }
        if stamp == offer.stamp { return version }
        if base == offer.base || stamp == offer.base { return nil }
        next -= 1
      }
      if rows.count < Self.step, next > 0 {
        throw damaged(offer.session, "version \(next) is gone")
      }
    }
    return nil
  }
}

extension HubListing {
  /// The number of kinds, from the first one on, whose terms go. A session that is listed no more loses its place, too, which
  /// one more says.
  fileprivate var kindsReplaced: Int32 {
    let all = Int32(HubTerm.Kind.allCases.count)
    if place == .unlisted { return all + 1 }
    return switch replaced {
    case .nothing: 0
    case .tags: HubTerm.Kind.sessionTag.rawValue + 1
    case .all: all
    }
  }
}
