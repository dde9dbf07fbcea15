import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

/// What a file that a person went back in comes to.
struct Rewound {
  let store: Store
  let session: Session
  let folder: URL
  let file: URL

  /// Imports a file's text; the file is given back to the byte unless something was added beside.
  static func with(
    _ text: String, as format: String, isGivenBack: Bool = true,
    _ body: (Rewound) async throws -> Void
  ) async throws {
    try await withStore { store, folder in
      let file = folder.appending(path: "session.jsonl")
      try Data(text.utf8).write(to: file)
      let report = try await store.importFile(at: file, format: format)
      #expect(report.skipped.isEmpty, "\(report.skipped)")
      let session = try await store.session(#require(report.sessions.first?.id))
      try await body(Rewound(store: store, session: session, folder: folder, file: file))
      let again = try await store.importFile(at: file, format: format)
      #expect(again.sessions.map(\.added) == [0])
      #expect(try await store.verify().findings == [])
      guard isGivenBack else { return }
      let exported = try await session.exported(as: format).bytes
      let bytes = try Data(contentsOf: file)
      #expect(Data(exported) == bytes)
    }
  }

  /// Lets the file grow, and takes in what is new.
  @discardableResult
  func grow(to text: String, as format: String) async throws -> Int {
    try Data(text.utf8).write(to: file)
    let report = try await store.importFile(at: file, format: format)
    #expect(report.sessions.map(\.id) == [session.id])
    return report.sessions.first?.added ?? -1
  }

  /// All that is kept, each entry by its text or the tools that it calls, an event that goes back by where to.
  var all: [String] { get async throws { try await session.entries.all().map(Self.word) } }

  /// What a model is given.
  var live: [String] { get async throws { try await session.resume().entries.map(Self.word) } }

  /// What a model was given when the session had no more entries than so many.
  func live(before end: Int) async throws -> [String] {
    try await session.fork(before: end).resume().entries.map(Self.word)
  }

  static func word(_ entry: Entry) -> String {
    if let target = entry.continuesAfter { return "back to \(target)" }
    return entry.toolCalls.isEmpty ? entry.text : "call " + entry.toolCalls.map(\.id).joined()
  }

  /// The same entries come from a file that grows line by line as from one that is read at once.
  static func expectSameByLines(_ lines: [String], as format: String) async throws {
    func told(_ store: Store, _ id: UUID) async throws -> [String] {
      try await store.session(id).entries.all().map {
        "\(word($0)) \($0.key ?? "-") \($0.continuesAfter ?? -9)"
      }
    }
    var whole: [String] = []
    try await with(lines.map { $0 + "\n" }.joined(), as: format) { rewound async throws in
      whole = try await told(rewound.store, rewound.session.id)
    }
    try await withStore { store, folder in
      let file = folder.appending(path: "session.jsonl")
      var id: UUID?
      for count in 1...lines.count {
        try Data(lines[..<count].map { $0 + "\n" }.joined().utf8).write(to: file)
        let report = try? await store.importFile(at: file, format: format)
        id = report?.sessions.first?.id ?? id
      }
      let grown = try await told(store, #require(id))
      #expect(grown == whole)
      #expect(try await store.verify().findings == [])
    }
  }
}
