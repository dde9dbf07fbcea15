import Keepsake

/// Listing the keys of a bucket.
extension ObjectStore {
  private static let largestPage = 1000

  /// Lists a page of the keys that begin with a text.
  /// - Parameters:
  ///   - prefix: What the keys begin with.
  ///   - delimiter: A text at which keys end, so that those that go on alike are told once; nil for all keys.
  ///   - start: The key after which the listing begins; nil for the first one.
  ///   - mark: The mark of the page before; nil for the first page.
  ///   - limit: The most keys of the page.
  package func list(
    _ prefix: String, delimiter: String? = nil, after start: String? = nil,
    from mark: String? = nil, limit: Int = largestPage
  ) async throws -> ObjectListing {
    var request = Request(method: "GET")
    request.query = [("list-type", "2"), ("prefix", prefix), ("max-keys", "\(limit)")]
    if let delimiter { request.query.append(("delimiter", delimiter)) }
    if let mark {
      request.query.append(("continuation-token", mark))
    } else if let start {
      request.query.append(("start-after", start))
    }
    let answer = try await send(request)
    guard answer.isGood else { throw refusal(answer) }
    guard let page = Self.page(answer.body) else { throw senseless("its listing can't be read") }
    let names = page.entries.map(\.key) + page.prefixes
    guard names.allSatisfy({ $0.utf8.starts(with: prefix.utf8) }) else {
      throw senseless("its listing has keys that were not asked for")
    }
    let isSorted = zip(page.entries, page.entries.dropFirst()).allSatisfy {
      $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
    }
    guard isSorted else { throw senseless("its listing is not sorted") }
    guard page.next != mark || mark == nil else { throw senseless("its listing does not end") }
    return page
  }

  /// Lists all keys that begin with a text, page by page, until the body says that it has enough.
  /// - Parameter body: A closure that takes a page, and returns whether it wants another one.
  package func listAll(
    _ prefix: String, delimiter: String? = nil, after start: String? = nil,
    limit: Int = largestPage, _ body: (ObjectListing) throws -> Bool
  ) async throws {
    var mark: String?
    var last: String?
    var limit = limit
    repeat {
      let page = try await list(
        prefix, delimiter: delimiter, after: start, from: mark, limit: limit)
      // A listing that goes back would have no end.
      if let first = page.entries.first?.key, let last,
        !last.utf8.lexicographicallyPrecedes(first.utf8)
      {
        throw senseless("its listing goes back")
      }
      last = page.entries.last?.key ?? last
      guard try body(page) else { return }
      mark = page.next
      limit = Self.largestPage
    } while mark != nil
  }

  /// Reads the XML of a page; nil where it is none.
  static func page(_ bytes: [UInt8]) -> ObjectListing? {
    guard let root = Markup(bytes), root.name == "ListBucketResult" else { return nil }
    var entries: [ObjectListing.Entry] = []
    for content in root.all("Contents") {
      guard let key = content.text(of: "Key"),
        let size = content.text(of: "Size").flatMap({ Int64($0) })
      else { return nil }
      let written = content.text(of: "LastModified").flatMap(RFC3339.microseconds)
      entries.append(
        .init(
          key: key, size: size, etag: content.text(of: "ETag"),
          written: written.map { $0 / 1_000_000 }))
    }
    let prefixes = root.all("CommonPrefixes").compactMap { $0.text(of: "Prefix") }
    guard root.text(of: "IsTruncated")?.lowercased() == "true" else {
      return ObjectListing(entries: entries, prefixes: prefixes, next: nil)
    }
    guard let next = root.text(of: "NextContinuationToken"), !next.isEmpty else { return nil }
    return ObjectListing(entries: entries, prefixes: prefixes, next: next)
  }
}
