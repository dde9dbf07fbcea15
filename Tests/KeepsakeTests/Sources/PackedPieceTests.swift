import Foundation
import KeepsakeFiles
import KeepsakeMigrations
import KeepsakeSQLite
import KeepsakeTestSupport
import Testing

@testable import Keepsake

/// What is left of records that images were cut out of, as rows have it.
@Suite("Packed pieces")
struct PackedPieceTests {
  /// Words that can be packed, and are no more alike than those of two records.
  private static func words(_ size: Int, _ seed: UInt64) -> String {
    var generator = SeededGenerator(seed: seed)
    let all = ["banana ", "window ", "lantern ", "é ", "\u{1F34C} "]
    var words = ""
    while words.utf8.count < size { words += all[Int(generator.next() % UInt64(all.count))] }
    return words
  }

  private static func line(_ key: String, words: Int, image: Int, _ seed: UInt64 = 1) -> String {
    let image = Data(repeating: UInt8(seed), count: image).base64EncodedString()
    return "\(key)|response|\(Self.words(words, seed))@\(image)\n"
  }

  private static let file =
    ImportTests.start + line("c", words: 3000, image: 75_000, 1)
    + line("d", words: 5000, image: 125_000, 2) + "e|prompt|More.\n"

  /// How many pieces are packed.
  private static func packed(_ store: Store) throws -> Int64? {
    try store.handle.read { db in
      try db.integer("SELECT count(*) FROM source_piece WHERE size > 2 * length(bytes)")
    }
  }

  private static func change(_ store: Store, _ sql: String) async throws {
    try await store.handle.exclusively { db in try db.execute(sql) }
  }

  @Test func `are given back to the byte, and known again`() async throws {
    try await withTemporaryStore { store in
      let report = try await store.importing(LineFormat.source(Self.file))
      let session = try await store.session(report.sessions[0].id)
      #expect(try Self.packed(store) == 2)
      #expect(try session.replayed() == Self.file)
      #expect(try await store.verify(.init(readData: true)).findings.isEmpty)
      let grown = Self.file + Self.line("f", words: 2000, image: 75_000, 3)
      #expect(try await store.importing(LineFormat.source(grown)).sessions.map(\.added) == [1])
      #expect(try Self.packed(store) == 3)
      #expect(try session.replayed() == grown)
      #expect(try await store.importing(LineFormat.source(grown)).sessions.map(\.added) == [0])
    }
  }

  @Test(arguments: [
    (words: 900, image: 120_000, isPacked: false), (words: 1100, image: 120_000, isPacked: true),
    (words: 4000, image: 90_000, isPacked: false), (words: 4000, image: 110_000, isPacked: true),
    (words: 4000, image: 0, isPacked: false),
  ])
  func `are those beside which an image was cut out that is much larger`(
    words: Int, image: Int, isPacked: Bool
  ) async throws {
    try await withTemporaryStore { store in
      let line =
        image > 0
        ? Self.line("c", words: words, image: image)
        : "c|response|\(Self.words(words, 1))\n"
      _ = try await store.importing(LineFormat.source(ImportTests.start + line))
      let sizes = try store.handle.read { db in
        try db.integer("SELECT count(*) FROM source_piece WHERE size IS NOT NULL")
      }
      #expect(sizes == (isPacked ? 1 : 0))
    }
  }

  @Test func `are packed only where that makes them smaller`() throws {
    let random = [UInt8](random: 4000)
    #expect(PieceBytes(random, besides: 1 << 20) == PieceBytes(random))
    let words = Array(Self.words(4000, 1).utf8)
    #expect(PieceBytes(words, besides: 1 << 20).stored.count < words.count / 2)
    #expect(try PieceBytes(words, besides: 1 << 20).unpacked() == words)
  }

  @Test func `are erased with what they say`() async throws {
    try await withTemporaryStore { store in
      let report = try await store.importing(LineFormat.source(Self.file))
      let session = try await store.session(report.sessions[0].id)
      try await session.erase(2)
      #expect(try Self.packed(store) == 1)
      let left = try store.handle.read { db in
        try db.integer(
          "SELECT count(*) FROM source_piece WHERE coalesce(bytes, spans, size) IS NULL")
      }
      #expect(left == 1)
      #expect(try await store.verify(.init(readData: true)).isSound)
    }
  }

  @Test func `are the same in a copy as others, and packed again where it is restored`()
    async throws
  {
    try await withTemporaryStore { store in
      let report = try await store.importing(LineFormat.source(Self.file))
      let session = try await store.session(report.sessions[0].id)
      let copy = try RecordedCopy(of: [session])
      let pieces = copy.records.filter { $0.kind == .piece }
      let whole = pieces.compactMap { $0.bytes("bytes") }.reduce([], +)
      let base64 = [75_000, 125_000].reduce(0) { $0 + ($1 + 2) / 3 * 4 }
      #expect(whole.count == Self.file.utf8.count - base64)
      #expect(String(decoding: whole, as: UTF8.self).contains(Self.words(5000, 2)))
      try await withTemporaryStore { other in
        _ = try await other.restoring(copy)
        #expect(try Self.packed(other) == 2)
        #expect(try await other.session(session.id).replayed() == Self.file)
        #expect(try await other.verify(.init(readData: true)).isSound)
        let again = try await RecordedCopy(of: [other.session(session.id)])
        let restored = again.records.filter { $0.kind == .piece }
        #expect(restored.map(\.values) == pieces.map(\.values))
      }
    }
  }

  @Test(arguments: [
    "bytes = substr(bytes, 1, length(bytes) - 1)",
    "bytes = CAST(x'00' || substr(bytes, 2) AS BLOB)",
    "bytes = CAST(bytes || x'00' AS BLOB)", "bytes = x''", "size = size + 1", "size = size - 1",
    "size = 1000000000", "size = 9007199254740992", "size = NULL",
  ])
  func `are damaged where they can't be unpacked, and verify finds them`(change: String)
    async throws
  {
    try await withTemporaryStore { store in
      let report = try await store.importing(LineFormat.source(Self.file))
      let session = try await store.session(report.sessions[0].id)
      try await Self.change(
        store, "UPDATE source_piece SET \(change) WHERE size = (SELECT max(size) FROM source_piece)"
      )
      #expect(try await !store.verify(.init(readData: true)).isSound)
      do {
        #expect(try session.replayed() != Self.file)
      } catch let error as KeepsakeError { #expect(error.code == .damaged, "\(error)") }
      do { _ = try RecordedCopy(of: [session]) } catch let error as KeepsakeError {
        #expect(error.code == .damaged, "\(error)")
      }
    }
  }

  @Test(arguments: ["size = -1", "size = 9007199254740993"])
  func `have a size that can be, or verify says so without reading them`(change: String)
    async throws
  {
    try await withTemporaryStore { store in
      _ = try await store.importing(LineFormat.source(Self.file))
      try await Self.change(store, "UPDATE source_piece SET \(change) WHERE size IS NOT NULL")
      let findings = try await store.verify().findings
      #expect(findings.contains { $0.object.contains("source_piece") }, "\(findings)")
    }
  }

  @Test func `stand beside those of a store that was made before there were any`() async throws {
    let folder = try TestFolder()
    let first = try await Store(at: folder.store)
    let report = try await first.importing(LineFormat.source(Self.file))
    let pieces = try first.handle.read { db in
      try SourceRow(1, in: db)?.pieces(in: db).map { try SourcePiece($0.id, in: db) } ?? []
    }
    await first.close()
    try Self.age(folder.store, pieces)
    let store = try await Store(at: folder.store)
    #expect(try Self.packed(store) == 0)
    let session = try await store.session(report.sessions[0].id)
    #expect(try session.replayed() == Self.file)
    let grown = Self.file + Self.line("f", words: 2000, image: 75_000, 3)
    #expect(try await store.importing(LineFormat.source(grown)).sessions.map(\.added) == [1])
    #expect(try Self.packed(store) == 1)
    #expect(try session.replayed() == grown)
    #expect(try await store.verify(.init(readData: true)).findings.isEmpty)
    await store.close()
  }

  /// Makes a store's database what it was before schema 9.
  private static func age(_ store: URL, _ pieces: [SourcePiece]) throws {
    let db = try Connection(path: store.appending(path: "store.sqlite").path, access: .readWrite)
    defer { db.close() }
    for (ordinal, piece) in pieces.enumerated() {
      let update = try db.prepare("UPDATE source_piece SET bytes = ? WHERE id = ?")
      update.bind(try piece.content?.unpacked(), at: 1)
      update.bind(PieceID.make(source: 1, ordinal: ordinal), at: 2)
      try update.run()
    }
    try db.execute(
      """
      ALTER TABLE source_piece DROP COLUMN size;
      \(HubTables.drop)
      DELETE FROM migration WHERE number > 8;
      PRAGMA user_version = 8;
      """)
    _ = try db.checkpoint(.truncate)
  }
}
