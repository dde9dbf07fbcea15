#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SQLite

/// One page of one search, read from one snapshot.
struct Searching {
  /// Only so many of the newest hits are ranked: the cost of ranking grows with the hits.
  static let rankedHits = 1000

  private let query: SearchQuery
  private let limit: Int
  private let candidates: SearchCandidates
  private var owners: SearchOwners
  private let db: Connection

  init(_ query: SearchQuery, in scope: SearchScope, limit: Int, db: Connection) throws {
    self.query = query
    self.limit = limit
    self.db = db
    let viewer = try scope.session.map { try SearchViewer($0, in: db) }
    candidates = SearchCandidates(query: query, scope: scope, viewer: viewer, db: db)
    owners = SearchOwners(viewer: viewer, tag: scope.tag, db: db)
  }

  mutating func page(_ order: SearchOrder, after cursor: SearchCursor?) throws -> SearchPage {
    switch (order, cursor?.place) {
    case (.newest, nil):
      let newest = try db.integer("SELECT max(number) FROM document") ?? 0
      return try recent(above: newest, after: nil)
    case (.newest, .recent(let above, let created, let entry)):
      return try recent(above: above, after: (created, EntryID(rawValue: entry)))
    case (.newest, .document(let number)):
      var found = Found(limit: limit)
      try addDocuments(below: number, to: &found)
      return try page(found)
    case (.ranked, nil):
      let (ranking, unindexed) = try rank()
      return try page(ranking, unindexed: unindexed)
    case (.ranked, .ranking(let rest)):
      return try page(rest, unindexed: 0)
    default:
      throw KeepsakeError(
        .invalid, "The cursor is of a search in another order. Ask with the order that gave it.")
    }
  }
}

// MARK: - Newest first

extension Searching {
  /// Hits with the places behind them; one more than a page holds tells that there is another page.
  private struct Found {
    let limit: Int
    var hits: [(entry: EntryID, place: SearchCursor.Place)] = []
    var unindexed = 0

    init(limit: Int) { self.limit = limit }

    var isFull: Bool { hits.count > limit }
  }

  /// What was not indexed when the first page was read, by its time, and then the documents of that moment.
  ///
  /// Whether an entry still waits or was indexed since makes no difference to its place, so nothing is repeated or
  /// passed over when entries are indexed between two pages.
  private mutating func recent(above: Int64, after last: (created: Int64, entry: EntryID)?) throws
    -> SearchPage
  {
    let waiting = try candidates.waiting()
    var indexed: [SearchCandidates.Waiting] = []
    if last != nil, try SearchIndex.state(in: db) == .current {
      try candidates.documents(above: above) {
        indexed.append(.init(entry: $0.entry, created: $0.created))
        return true
      }
    }
    let rewritten = try candidates.differing().filter { $0.document.number > above }
      .map { SearchCandidates.Waiting(entry: $0.document.entry, created: $0.document.created) }
    let known = Set(indexed.map(\.entry))
    var found = Found(limit: limit)
    found.unindexed = waiting.count
    let recent = (waiting + indexed + rewritten).sorted {
      ($0.created, $0.entry) > ($1.created, $1.entry)
    }
    for candidate in recent where !found.isFull {
      let (created, entry) = (candidate.created, candidate.entry)
      if let last, (created, entry) >= (last.created, last.entry) { continue }
      guard try owners.owner(of: entry) != nil, try known.contains(entry) || matches(entry) else {
        continue
      }
      found.hits.append(
        (entry, .recent(above: above, created: created, entry: entry.rawValue)))
    }
    if !found.isFull { try addDocuments(below: above + 1, to: &found) }
    return try page(found)
  }

  private mutating func addDocuments(below: Int64, to found: inout Found) throws {
    guard try SearchIndex.state(in: db) == .current else { return }
    var rewritten = try candidates.differing().filter { $0.document.number < below }[...]
    func take(_ document: SearchCandidates.Document, _ owners: inout SearchOwners) throws {
      guard try owners.owner(of: document.entry) != nil else { return }
      found.hits.append((document.entry, .document(document.number)))
    }
    try candidates.documents(below: below) { document in
      while !found.isFull, let other = rewritten.first?.document, other.number > document.number {
        rewritten.removeFirst()
        if try matches(other.entry) { try take(other, &owners) }
      }
      if !found.isFull { try take(document, &owners) }
      return !found.isFull
    }
    for other in rewritten where !found.isFull {
      if try matches(other.document.entry) { try take(other.document, &owners) }
    }
  }

  private func matches(_ entry: EntryID) throws -> Bool {
    guard let row = try candidates.text(of: entry), EntryText.includes(row.kind) else {
      return false
    }
    return query.matches(tokens: SearchText.tokens(of: row.text.bytes))
  }

  private mutating func page(_ found: Found) throws -> SearchPage {
    let hits = try found.hits.prefix(limit).compactMap { try hit($0.entry, score: nil) }
    let next = found.isFull ? SearchCursor(place: found.hits[limit - 1].place) : nil
    return SearchPage(hits: hits, next: next, unindexed: found.unindexed)
  }
}

// MARK: - Ranked

extension Searching {
  /// The newest hits, best first.
  private mutating func rank() throws -> (ranking: [SearchCursor.Ranked], unindexed: Int) {
    var ranking: [SearchCursor.Ranked] = []
    let waiting = try candidates.waiting()
    let rewritten = try candidates.differing().map(\.document.entry)
    if !waiting.isEmpty || !rewritten.isEmpty {
      let scores = try SearchRanking(query, in: db)
      for entry in waiting.map(\.entry) + rewritten where ranking.count < Self.rankedHits {
        guard let row = try candidates.text(of: entry), EntryText.includes(row.kind) else {
          continue
        }
        let tokens = SearchText.tokens(of: row.text.bytes)
        guard query.matches(tokens: tokens), try owners.owner(of: entry) != nil else { continue }
        ranking.append(.init(entry: entry.rawValue, score: scores.score(tokens)))
      }
    }
    if try SearchIndex.state(in: db) == .current, ranking.count < Self.rankedHits {
      try candidates.documents(ranked: true) { document in
        if try owners.owner(of: document.entry) != nil {
          ranking.append(.init(entry: document.entry.rawValue, score: -document.score))
        }
        return ranking.count < Self.rankedHits
      }
    }
    // Equal scores stay in the order in which they were found: newest first.
    let sorted = ranking.enumerated().sorted {
      ($1.element.score, $0.offset) < ($0.element.score, $1.offset)
    }
    return (sorted.map(\.element), waiting.count)
  }

  private mutating func page(_ ranking: [SearchCursor.Ranked], unindexed: Int) throws -> SearchPage
  {
    var rest = ranking[...]
    var hits: [SearchHit] = []
    while hits.count < limit, let next = rest.popFirst() {
      let entry = EntryID(rawValue: next.entry)
      // It may have been revised, erased or hidden since the ranking was made.
      guard try owners.owner(of: entry) != nil, try matches(entry),
        let hit = try hit(entry, score: next.score)
      else { continue }
      hits.append(hit)
    }
    let next = rest.isEmpty ? nil : SearchCursor(place: .ranking(Array(rest)))
    return SearchPage(hits: hits, next: next, unindexed: unindexed)
  }
}

// MARK: - Hits

extension Searching {
  private mutating func hit(_ entry: EntryID, score: Double?) throws -> SearchHit? {
    guard let owner = try owners.owner(of: entry), let row = try candidates.text(of: entry) else {
      return nil
    }
    let (text, ranges) = SearchText.snippet(of: row.text.bytes, matching: query)
    return SearchHit(
      session: owner.id, title: owner.title, position: entry.position, kind: row.kind,
      callID: try callID(of: row), created: Date(microseconds: row.created),
      snippet: .init(text: text, ranges: ranges), score: score)
  }

  private func callID(of row: EntryTextReader.Row) throws -> String? {
    guard row.kind == .toolOutput || row.kind == .toolCalls else { return nil }
    let find = try db.prepare("SELECT body FROM entry WHERE id = ?")
    find.bind(row.id.rawValue, at: 1)
    guard try find.step(), !find.isNull(0) else { return nil }
    var entry = Entry(row.kind)
    try EntryBody.decode(find.span(0), into: &entry)
    if row.kind == .toolOutput { return entry.callID }
    let call = entry.toolCalls.first { call in
      let tokens = SearchText.tokens(of: call.arguments)
      return query.required.contains { $0.count(in: tokens) > 0 }
    }
    return (call ?? entry.toolCalls.first)?.id
  }
}
