import Foundation
import Keepsake
import KeepsakeTestSupport
import Testing

extension HubConformance {
  /// A hub that keeps lists finds what a plain model of the same offers finds; any other one says that it keeps none.
  static func lists(_ place: Place) async throws {
    let hub = try await place.make()
    guard try await hub.find(HubQuery(limit: 1)) != nil else {
      #expect(try await hub.find(having: nil, from: .first, to: .last, limit: 1) == nil)
      for kind in HubTerm.Kind.allCases { #expect(try await hub.terms(of: kind) == nil) }
      return
    }
    let other = try await place.open()
    var lists = ListModel(seed: 7)
    try await count(lists, other)
    for round in 0..<40 {
      var offers: [HubOffer] = []
      for _ in 0..<Int.random(in: 1...4, using: &lists.random) { offers.append(lists.offer()) }
      for (offer, answer) in zip(offers, try await hub.commit(offers)) {
        #expect(answer.version != nil, "\(answer)")
        // An offer that is sent again changes no list.
        if round % 5 == 0 { #expect(try await other.commit(offer).failure == nil) }
      }
      // A refused offer changes no list.
      _ = try await hub.commit(lists.refusal())
      for _ in 0..<6 { try await compare(lists.query(), lists, other) }
      try await count(lists, other)
    }
    #expect(lists.count > 10)
    for kind in HubTerm.Kind.allCases {
      for number in 0..<ListModel.facts {
        let term = HubTerm(kind, "\(number)")
        let found = try await other.find(having: term, from: .first, to: .last, limit: 1000)
        #expect(found?.map(\.session) == lists.sessions(having: term), "\(kind) \(number)")
      }
    }
    let all = lists.sessions(having: nil)
    let (low, high) = (all[all.count / 3], all[all.count * 2 / 3])
    #expect(
      try await other.find(having: nil, from: low, to: high, limit: 1000)?.map(\.session)
        == Array(all[(all.count / 3)...(all.count * 2 / 3)]))
    #expect(
      try await other.find(having: nil, from: .first, to: .last, limit: 3)?.map(\.session)
        == Array(all.prefix(3)))
    #expect(
      try await other.directory().heads.filter { all.contains($0.session) }
        == other.find(having: nil, from: .first, to: .last, limit: 1000))
  }

  /// A hub that keeps lists replaces a session's entry, unless the session has changed since the entry was read.
  static func mending(_ place: Place) async throws {
    let hub = try await place.make()
    let (first, second) = (UUID(), UUID())
    guard try await hub.listings(of: [first]) != nil else {
      let none = HubListed(session: first, stamp: UUID(), updated: 1, terms: [])
      #expect(try await !hub.list(none))
      return
    }
    let terms = [HubTerm(.tag, "a"), HubTerm(.tool, "b"), HubTerm(.sessionTag, "a")]
    let offers = [first, second].map { session in
      HubOffer(
        session: session, base: nil, stamp: UUID(), bytes: [1],
        listing: HubListing(
          place: .listed(updated: 5), replaced: .all, terms: session == first ? Set(terms) : []))
    }
    _ = try await hub.commit(offers)
    let said = [
      HubListed(session: first, stamp: offers[0].stamp, updated: 5, terms: Set(terms)),
      HubListed(session: second, stamp: offers[1].stamp, updated: 5, terms: []),
    ]
    #expect(try await hub.listings(of: [first, UUID(), second]) == said)
    var other = said[0]
    (other.updated, other.terms) = (7, [terms[1], HubTerm(.model, "c")])
    #expect(try await hub.list(other))
    #expect(try await place.open().listings(of: [second, first]) == [said[1], other])
    #expect(
      try await hub.find(HubQuery([terms[1]], limit: 9))?.map(\.place.updated) == [7])
    #expect(try await hub.find(HubQuery([terms[0]], limit: 9)) == [])
    (other.updated, other.terms) = (nil, [])
    #expect(try await hub.list(other))
    #expect(try await hub.find(HubQuery(limit: 9))?.map(\.head.session) == [second])
    // An entry with the stamp of another version is refused.
    let late = HubListed(session: second, stamp: offers[0].stamp, updated: 1, terms: Set(terms))
    #expect(try await !hub.list(late))
    #expect(try await hub.listings(of: [second]) == [said[1]])
  }

  /// Expects that a hub counts the sessions of each term as a model does, and gives the newest version of one of them.
  private static func count(_ lists: ListModel, _ hub: any Hub) async throws {
    let heads = try await hub.directory().heads
    for kind in HubTerm.Kind.allCases {
      let counted = try #require(try await hub.terms(of: kind))
      let expected = lists.terms.filter { $0.kind == kind }
      #expect(Set(counted.map(\.term)) == expected && counted.count == expected.count, "\(kind)")
      for one in counted {
        let sessions = lists.sessions(having: one.term)
        #expect(one.sessions == sessions.count, "\(one)")
        #expect(sessions.contains(one.head.session) && heads.contains(one.head), "\(one)")
      }
    }
  }

  private static func compare(
    _ query: HubQuery, _ lists: ListModel, _ hub: any Hub
  ) async throws {
    var query = query
    let expected = lists.sessions(query)
    var found: [UUID] = []
    while true {
      let page = try #require(try await hub.find(query))
      #expect(page.allSatisfy { $0.head.session == $0.place.session })
      found += page.map(\.head.session)
      guard page.count == query.limit else { break }
      query.after = page.last?.place
    }
    #expect(found == expected, "\(query)")
  }
}

/// What lists have to find, kept in the plainest way.
private struct ListModel {
  /// The number of facts of each kind.
  static let facts = 3

  private struct Known {
    var stamp: UUID
    var updated: Int64?
    var origin: UUID?
    var terms: Set<HubTerm>
  }

  var random: SeededGenerator
  private var known: [UUID: Known] = [:]
  var count: Int { known.values.count { $0.updated != nil } }
  /// The terms that listed sessions have.
  var terms: Set<HubTerm> {
    known.values.reduce(into: []) { if $1.updated != nil { $0.formUnion($1.terms) } }
  }

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private mutating func someTerms() -> Set<HubTerm> {
    var terms: Set<HubTerm> = []
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      let kind = HubTerm.Kind.allCases.randomElement(using: &random) ?? .tag
      terms.insert(HubTerm(kind, "\(Int.random(in: 0..<Self.facts, using: &random))"))
    }
    return terms
  }

  private func inherited(from origin: UUID?) -> Set<HubTerm> {
    (origin.flatMap { known[$0]?.terms } ?? []).filter { $0.kind != .sessionTag }
  }

  /// Makes the next offer, which a hub has to take.
  mutating func offer() -> HubOffer {
    let sessions = known.keys.sorted { $0.uuidString < $1.uuidString }
    let session =
      Int.random(in: 0..<3, using: &random) == 0 ? nil : sessions.randomElement(using: &random)
    // Few times, so that several sessions have the same one.
    var listing = HubListing(
      place: .listed(updated: Int64.random(in: -5...20, using: &random)), terms: someTerms())
    guard let session, var now = known[session] else {
      listing.origin =
        Bool.random(using: &random) ? sessions.randomElement(using: &random) : nil
      listing.replaced = listing.origin == nil ? .all : .tags
      return note(UUID(), on: nil, listing)
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      listing = HubListing(place: .unlisted, replaced: .all)
      now.terms = []
    case 1 where now.origin == nil:
      listing.replaced = .all
      now.terms = []
    case 1:
      // A fork that is told as a whole keeps its terms, and gets those that its origin has now.
      listing.replaced = .tags
      listing.origin = now.origin
      now.terms = now.terms.filter { $0.kind != .sessionTag }
    case 2...4:
      listing.replaced = .tags
      now.terms = now.terms.filter { $0.kind != .sessionTag }
    // A session that was deleted gets no terms until it is listed again.
    case 5 where now.updated != nil: listing.place = .unchanged
    default: break
    }
    known[session] = now
    return note(session, on: now.stamp, listing)
  }

  private mutating func note(_ session: UUID, on base: UUID?, _ listing: HubListing) -> HubOffer {
    let stamp = UUID()
    var now = known[session] ?? Known(stamp: stamp, origin: listing.origin, terms: [])
    now.stamp = stamp
    now.terms.formUnion(listing.terms.union(inherited(from: listing.origin)))
    switch listing.place {
    case .unchanged: break
    case .listed(let updated): now.updated = updated
    case .unlisted: now.updated = nil
    }
    known[session] = now
    return HubOffer(session: session, base: base, stamp: stamp, bytes: [1], listing: listing)
  }

  /// Makes an offer that a hub refuses.
  mutating func refusal() -> HubOffer {
    HubOffer(
      session: known.keys.first ?? UUID(), base: UUID(), stamp: UUID(), bytes: [1],
      listing: HubListing(place: .unlisted, replaced: .all, terms: someTerms()))
  }

  mutating func query() -> HubQuery {
    let start = Int64.random(in: -6...15, using: &random)
    return HubQuery(
      Array(someTerms().prefix(3)),
      updated: Bool.random(using: &random)
        ? .min..<(.max) : start..<(start + Int64.random(in: 0...20, using: &random)),
      limit: Int.random(in: 1...6, using: &random))
  }

  func sessions(_ query: HubQuery) -> [UUID] {
    known.filter { _, now in
      now.updated.map(query.updated.contains) ?? false && now.terms.isSuperset(of: query.terms)
    }
    .sorted {
      ($0.value.updated ?? 0, $0.key.uuidString) > ($1.value.updated ?? 0, $1.key.uuidString)
    }
    .map(\.key)
  }

  func sessions(having term: HubTerm?) -> [UUID] {
    known.filter { _, now in
      now.updated != nil && (term.map { now.terms.contains($0) } ?? true)
    }
    .map(\.key).sorted { $0.uuidString < $1.uuidString }
  }
}
