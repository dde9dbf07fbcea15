import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

/// Makes a store that indexes only when it is told to, and checks its index at the end.
func withSearchedStore(_ body: (Store) async throws -> Void) async throws {
  var options = Store.Options()
  options.searchDelay = nil
  try await withTemporaryStore(options: options) { store in
    try await body(store)
    try await store.expectExactIndex()
  }
}

extension Store {
  /// The texts' beginnings, in the order in which they are found, over all pages.
  func found(
    _ query: String, in scope: SearchScope = .init(), order: SearchOrder = .newest,
    limit: Int = 20
  ) async throws -> [String] {
    var found: [String] = []
    var cursor: SearchCursor?
    repeat {
      let page = try await search(query, in: scope, order: order, limit: limit, after: cursor)
      #expect(page.hits.count <= limit)
      found += page.hits.map(\.snippet.text)
      cursor = page.next
    } while cursor != nil
    return found
  }

  /// The same answer before and after indexing.
  func expect(
    _ query: String, in scope: SearchScope = .init(), finds texts: [String],
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let before = try await found(query, in: scope)
    #expect(before.sorted() == texts.sorted(), "\(query)", sourceLocation: location)
    try await indexForSearch()
    let after = try await found(query, in: scope)
    #expect(after.sorted() == texts.sorted(), "\(query), indexed", sourceLocation: location)
    let ranked = try await found(query, in: scope, order: .ranked)
    #expect(ranked.sorted() == texts.sorted(), "\(query), ranked", sourceLocation: location)
  }

  /// The index holds each word of each document and nothing else, and FTS5 finds no fault in it.
  func expectExactIndex(_ location: SourceLocation = #_sourceLocation) async throws {
    let (held, wanted, missing) = try await handle.write { change in
      let db = change.db
      try db.prepare("INSERT INTO search (search) VALUES ('integrity-check')").run()
      try db.execute("CREATE VIRTUAL TABLE temp.word USING fts5vocab (main, search, instance)")
      var held: Set<String> = []
      let words = try db.prepare(text: "SELECT term, doc, offset FROM temp.word")
      while try words.step() {
        held.insert("\(words.text(0)) \(words.int64(1)) \(words.int64(2))")
      }
      words.reset()
      var wanted: Set<String> = []
      let documents = try db.prepare(text: "SELECT number, entry FROM document")
      while try documents.step() {
        let entry = EntryID(rawValue: documents.int64(1))
        guard let row = try EntryTextReader(db: db).row(entry) else {
          wanted.insert("an entry for \(entry)")
          continue
        }
        let tokens = String(decoding: SearchText.tokens(of: row.text.bytes), as: UTF8.self)
        for (offset, token) in tokens.split(separator: " ").enumerated() {
          wanted.insert("\(token) \(documents.int64(0)) \(offset)")
        }
      }
      let missing = try db.integer(
        """
        SELECT count(*) FROM entry AS e LEFT JOIN search_queue AS q ON q.session = e.id >> 24
        WHERE e.kind <> 0 AND e.body IS NOT NULL
          AND (SELECT count(*) FROM document WHERE entry = e.id)
            <> (q.session IS NULL OR e.id & 16777215 < q.position)
        """)
      return (held, wanted, missing)
    }
    try await handle.exclusively { try $0.execute("DROP TABLE temp.word") }
    #expect(held.subtracting(wanted) == [], "words that nobody said", sourceLocation: location)
    #expect(wanted.subtracting(held) == [], "words that are not held", sourceLocation: location)
    #expect(missing == 0, "entries without a document, or with several", sourceLocation: location)
  }
}
