#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads one page of a search from one snapshot.
struct Searching {
  /// The number of the newest hits that are ranked, because the cost of ranking grows with the hits.
  static let rankedHits = 1000

  private let query: SearchQuery
  private let limit: Int
  private let indexState: SearchIndex.State
  private let candidates: SearchCandidates
  private var owners: SearchOwners
  private let db: Tables

  init(_ query: SearchQuery, in scope: SearchScope, limit: Int, db: Tables) throws {
    self.query = query
    self.limit = limit
    self.db = db
    let viewer = try scope.session.map { try SearchViewer($0, in: db) }
    indexState = try SearchIndex.state(in: db)
    candidates = SearchCandidates(
      query: query, scope: scope, viewer: viewer, isIndexUsable: indexState == .current, db: db)
    owners = SearchOwners(viewer: viewer, tag: scope.tag, db: db)
  }

  /// Tells whether so many entries wait that indexing them is faster than reading them for every search.
  func isFarBehind() throws -> Bool {
    try indexState == .older || SearchIndex.waitingEntries(in: db) > 2000
  }

  mutating func page(_ order: SearchOrder, after cursor: SearchCursor?) throws -> SearchPage {
    switch (order, cursor?.place) {
    case (.newest, nil):
      let newest = try db.search.newestDocument()
      return try recent(above: newest, after: nil)
    case (.newest, .recent(let above, let created, let entry)):
      return try recent(above: above, after: (created, EntryID(rawValue: entry)))
    case (.newest, .document(let number)):
      var found = Found(limit: limit)
      try addDocuments(below: number, to: &found)
      return try page(found)
    case (.ranked, nil):
      return try ranked(after: nil)
    case (.ranked, .ranked(let place)):
      return try ranked(after: place)
    default:
      throw KeepsakeError(
        .invalid, "The cursor is of a search in another order. Ask with the order that gave it.")
    }
  }
}

// MARK: - Newest first

extension Searching {
  /// The hits of a page with their places; one hit more than a page holds tells that there is another page.
  private struct Found {
    /// A hit that may be shown, with its place in the order.
    struct Hit {
      let entry: EntryID
      let owner: SearchOwners.Owner
      let place: SearchCursor.Place
      /// The entry with its text, if it was read already.
      let row: EntryTextReader.Row?
    }

    let limit: Int
    var hits: [Hit] = []
    var unindexed = 0

    init(limit: Int) { self.limit = limit }

    var isFull: Bool { hits.count > limit }
  }

  /// Returns a page of the entries that were not indexed when the first page was read, by time, and then of the documents.
  ///
  /// The place of an entry is the same whether it still waits or was indexed since, so no entry is repeated or skipped when
  /// entries are indexed between two pages.
  private mutating func recent(above: Int64, after last: (created: Int64, entry: EntryID)?) throws
    -> SearchPage
  {
    let waiting = try candidates.waiting()
    var indexed: [SearchCandidates.Waiting] = []
    if last != nil {
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
      guard let owner = try owners.owner(of: entry) else { continue }
      let isKnown = known.contains(entry)
      let row = isKnown ? nil : try matching(entry)
      guard isKnown || row != nil else { continue }
      found.hits.append(
        .init(
          entry: entry, owner: owner,
          place: .recent(above: above, created: created, entry: entry.rawValue), row: row))
    }
    if !found.isFull { try addDocuments(below: above == .max ? .max : above + 1, to: &found) }
    return try page(found)
  }

  private mutating func addDocuments(below: Int64, to found: inout Found) throws {
    var rewritten = try candidates.differing().filter { $0.document.number < below }[...]
    func take(
      _ document: SearchCandidates.Document, _ row: EntryTextReader.Row?,
      _ owners: inout SearchOwners
    ) throws {
      guard let owner = try owners.owner(of: document.entry) else { return }
      found.hits.append(
        .init(
          entry: document.entry, owner: owner, place: .document(document.number), row: row))
    }
    try candidates.documents(below: below, texts: limit - found.hits.count) { document in
      while !found.isFull, let other = rewritten.first?.document, other.number > document.number {
        rewritten.removeFirst()
        if let row = try matching(other.entry) { try take(other, row, &owners) }
      }
      if !found.isFull { try take(document, document.row, &owners) }
      return !found.isFull
    }
    for other in rewritten.map(\.document) where !found.isFull {
      if let row = try matching(other.entry) { try take(other, row, &owners) }
    }
  }

  /// Returns an entry with its text if the text matches, for entries whose present text is not in the index.
  private func matching(_ entry: EntryID) throws -> EntryTextReader.Row? {
    guard let row = try candidates.text(of: entry),
      query.matches(tokens: SearchText.tokens(of: row.text.bytes))
    else { return nil }
    return row
  }

  private func page(_ found: Found) throws -> SearchPage {
    let hits = try found.hits.prefix(limit).compactMap { found -> SearchHit? in
      guard let row = try found.row ?? candidates.text(of: found.entry) else { return nil }
      return try hit(row, of: found.owner, score: nil)
    }
    let next = found.isFull ? SearchCursor(place: found.hits[limit - 1].place) : nil
    return SearchPage(hits: hits, next: next, unindexed: found.unindexed)
  }
}

// MARK: - Ranked

extension Searching {
  /// A hit with its score; among equal scores the newest hit comes first.
  private struct Ranked {
    let entry: EntryID
    let created: Int64
    let score: Double

    static func isBefore(_ one: Ranked, _ other: Ranked) -> Bool {
      (one.score, one.created, one.entry) > (other.score, other.created, other.entry)
    }
  }

  /// Returns a page of the newest hits, best first.
  ///
  /// The next page ranks the same entries again: the documents of the first page's moment, and the entries that waited then. It
  /// continues after the last shown entry, so that a cursor need not contain the remaining entries.
  private mutating func ranked(after place: SearchCursor.Ranked?) throws -> SearchPage {
    let waiting = try candidates.waiting()
    let newest = try place?.newest ?? db.search.newestDocument()
    let latest = place?.latest ?? waiting.first?.created ?? .min
    let ranking = try rank(waiting.filter { $0.created <= latest }, newest, latest)
    let start =
      place.map { place in
        ranking.firstIndex { $0.entry.rawValue == place.last }.map { $0 + 1 }
          ?? Int(min(place.shown, Int64(ranking.count)))
      } ?? 0
    var end = start
    var hits: [SearchHit] = []
    while hits.count < limit, end < ranking.count {
      let found = ranking[end]
      end += 1
      // An entry that was revised may no longer match like its document.
      guard let owner = try owners.owner(of: found.entry), let row = try matching(found.entry)
      else { continue }
      hits.append(try hit(row, of: owner, score: found.score))
    }
    guard end < ranking.count, end > start else {
      return SearchPage(hits: hits, next: nil, unindexed: waiting.count)
    }
    let next = SearchCursor.Ranked(
      newest: newest, latest: latest, shown: Int64(end), last: ranking[end - 1].entry.rawValue)
    return SearchPage(
      hits: hits, next: SearchCursor(place: .ranked(next)), unindexed: waiting.count)
  }

  private mutating func rank(
    _ waiting: [SearchCandidates.Waiting], _ newest: Int64, _ latest: Int64
  ) throws -> [Ranked] {
    var ranking: [Ranked] = []
    let rewritten = try candidates.differing().map(\.document)
      .filter { $0.number <= newest || $0.created <= latest }
      .map { SearchCandidates.Waiting(entry: $0.entry, created: $0.created) }
    if !waiting.isEmpty || !rewritten.isEmpty {
      let scores = try SearchRanking(query, in: db)
      for candidate in waiting + rewritten where ranking.count < Self.rankedHits {
        guard let row = try candidates.text(of: candidate.entry) else { continue }
        let tokens = SearchText.tokens(of: row.text.bytes)
        guard query.matches(tokens: tokens), try owners.owner(of: candidate.entry) != nil else {
          continue
        }
        ranking.append(
          Ranked(
            entry: candidate.entry, created: candidate.created, score: scores.score(tokens)))
      }
    }
    if ranking.count < Self.rankedHits {
      try candidates.documents(ranked: true) { document in
        // A larger number was given later, also to an entry that waited when the first page was read.
        if document.number <= newest || document.created <= latest,
          try owners.owner(of: document.entry) != nil
        {
          ranking.append(
            Ranked(entry: document.entry, created: document.created, score: -document.score))
        }
        return ranking.count < Self.rankedHits
      }
    }
    return ranking.sorted(by: Ranked.isBefore)
  }
}

// MARK: - Hits

extension Searching {
  private func hit(
    _ row: EntryTextReader.Row, of owner: SearchOwners.Owner, score: Double?
  ) throws -> SearchHit {
    let (text, ranges) = SearchText.snippet(of: row.text.bytes, matching: query)
    return SearchHit(
      session: owner.id, title: owner.title, position: row.id.position, kind: row.kind,
      callID: try callID(of: row), created: EntryTime.date(row.created),
      snippet: .init(text: text, ranges: ranges), score: score)
  }

  private func callID(of row: EntryTextReader.Row) throws -> String? {
    guard row.kind == .toolOutput || row.kind == .toolCalls else { return nil }
    guard let entry = try db.entries.content(of: row.id, kind: row.kind) else { return nil }
    if row.kind == .toolOutput { return entry.callID }
    let call = entry.toolCalls.first { call in
      let tokens = SearchText.tokens(of: call.arguments)
      return query.required.contains { $0.count(in: tokens) > 0 }
    }
    return (call ?? entry.toolCalls.first)?.id
  }
}
