import Foundation
import KeepsakeSQLite
import KeepsakeTestSupport
import Testing

@testable import Keepsake

@Suite("Search against brute force")
struct SearchPropertyTests {
  private static let words = [
    "blue", "Blue", "cup", "cups", "été", "ete", "藍色", "藍", "夢", "банан", "Бананы", "image_1",
    "x", "GenerateImage", "1", "—", "🍌",
  ]

  @Test func `whatever happens to entries, search finds exactly what matches`() async throws {
    let seed = UInt64.random(in: .min ... .max)
    print("Store search seed: \(seed)")
    var random = SeededGenerator(seed: seed)
    var options = Store.Options()
    options.searchDelay = nil
    let store = try await Store.temporary(options: options)
    var sessions = [try await store.createSession()]
    var found = 0
    var steps = 0
    func text() -> String {
      (0..<Int.random(in: 0...6, using: &random))
        .map { _ in Self.words.randomElement(using: &random) ?? "" }
        .joined(separator: Bool.random(using: &random) ? " " : "")
    }
    // As many as it takes for something to be found, should chance ask for little of what is there.
    while steps < 250 || found <= 50, steps < 5000 {
      steps += 1
      let session = sessions.randomElement(using: &random) ?? sessions[0]
      let count = try await session.count()
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<5:
        try await session.append(
          (0...Int.random(in: 0...4, using: &random)).map { _ in entry(text(), &random) })
      case 5, 6:
        guard count > 0 else { continue }
        let position = Int.random(in: 0..<count, using: &random)
        var changed = try await session.entry(at: position)
        guard changed.kind == .prompt || changed.kind == .response else { continue }
        changed.segments = [.text(text())]
        // A fork can't revise what it shares.
        guard session.lineage.owner(of: position).session == session.number else { continue }
        try await session.revise(position, to: changed)
      case 7:
        guard count > 0 else { continue }
        let position = Int.random(in: 0..<count, using: &random)
        let names = (text() + ".png", text())
        // What a fork attaches to an entry that it shares is not indexed: `Store.search` says so.
        guard session.lineage.owner(of: position).session == session.number else { continue }
        try await session.attach(
          .init(.bytes([1]), fileName: names.0, caption: names.1), to: position)
      case 8 where sessions.count < 8:
        sessions.append(
          Bool.random(using: &random)
            ? try await store.createSession()
            : try await session.fork(before: Int.random(in: 0...count, using: &random)))
      case 9:
        try await store.indexForSearch()
      default:
        let source =
          (0...1).map { _ in
            let word = Self.words.randomElement(using: &random) ?? ""
            return ["", "", "-", "\""].randomElement(using: &random).map { $0 + word } ?? word
          }.joined(separator: " ") + (Bool.random(using: &random) ? "*" : "")
        guard let query = try? SearchQuery(source) else { continue }
        let scope = SearchScope(
          session: Bool.random(using: &random) ? session.id : nil)
        let limit = Int.random(in: 1...5, using: &random)
        for order in SearchOrder.allCases {
          let hits = try await all(query, scope, order, limit, in: store)
          let expected = try await bruteForce(query, scope, sessions, in: store)
          #expect(
            Set(hits) == expected && hits.count == expected.count,
            "seed \(seed): \(source) \(order) \(scope)")
          found += hits.count
        }
      }
    }
    #expect(found > 50, "seed \(seed)")
    try await store.indexForSearch()
    try await store.expectExactIndex()
    try await store.removeTemporary()
  }

  private func entry(_ text: String, _ random: inout SeededGenerator) -> Entry {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return .instructions(text)
    case 1: return .response(text)
    case 2:
      return .toolCalls([
        .init(tool: "T", arguments: JSON.object([("cup", .string(text))]).text)
      ])
    case 3:
      return Entry(.toolOutput, segments: [.text(text), .structure(.array([.string(text)]))])
    default: return .prompt(text)
    }
  }

  private func all(
    _ query: SearchQuery, _ scope: SearchScope, _ order: SearchOrder, _ limit: Int, in store: Store
  ) async throws -> [SearchHit.ID] {
    var hits: [SearchHit.ID] = []
    var cursor: SearchCursor?
    repeat {
      let page = try await store.search(query, in: scope, order: order, limit: limit, after: cursor)
      hits += page.hits.map(\.id)
      cursor = page.next
    } while cursor != nil
    return hits
  }

  /// Reads what sessions show through the public API, and matches each text.
  private func bruteForce(
    _ query: SearchQuery, _ scope: SearchScope, _ sessions: [Session], in store: Store
  ) async throws -> Set<SearchHit.ID> {
    var found: Set<SearchHit.ID> = []
    for session in sessions where scope.session == nil || scope.session == session.id {
      for entry in try await session.entries.all() {
        guard let position = entry.position else { continue }
        let isOwn = session.lineage.owner(of: position).session == session.number
        guard scope.session != nil || isOwn else { continue }
        var pieces: [String] = []
        for segment in entry.segments {
          switch segment.content {
          case .text(let text): pieces.append(text)
          case .structure(let json, _): pieces += json.arrayValue?.compactMap(\.stringValue) ?? []
          default: break
          }
        }
        for call in entry.toolCalls {
          pieces.append(try JSON(validating: call.arguments)["cup"]?.stringValue ?? "")
        }
        for attachment in entry.attachments {
          pieces += [attachment.label, attachment.fileName, attachment.caption].compactMap(\.self)
        }
        if query.matches(pieces.joined(separator: "\n")) {
          found.insert(.init(session: session.id, position: position))
        }
      }
    }
    return found
  }
}
