import Foundation
import KeepsakeFiles
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

/// A program may cut its file and go on in another way at any moment. The new lines may be as long as the old ones, and
/// then the file's size doesn't tell that it was cut.
@Suite("Files that are cut and go on in another way while they are read")
struct ReplacedFilesTests {
  /// A conversation in a format, and the lines that may follow it, which are all equally long.
  struct Talk: CustomTestStringConvertible, Sendable {
    let codec: any GrowingCodec.Type
    let lines: [String]
    let line: @Sendable (Int) -> String

    var testDescription: String { codec.format.name }

    /// The text of the file: the conversation, with some lines behind it.
    func text(_ numbers: Int...) -> String {
      (lines + numbers.map(line)).map { "\($0)\n" }.joined()
    }
  }

  private static let talks = [
    Talk(codec: ClaudeCodeCodec.self, lines: ClaudeCodeReadingTests.talk) {
      ClaudeCodeReadingTests.user("n-\($0)", "\"And \($0)?\"", time: 9)
    },
    Talk(codec: CodexCodec.self, lines: rollout.lines) {
      var rollout = Rollout()
      rollout.message("user", "And \($0)?", #","id":"n-\#($0)""#)
      return rollout.lines[0]
    },
    Talk(codec: GeminiCLICodec.self, lines: GeminiCLIReadingTests.talk) {
      GeminiCLIReadingTests.message("user", "n-\($0)", #""content":[{"text":"And \#($0)?"}]"#)
    },
  ]

  private static var rollout: Rollout {
    var rollout = Rollout(id: "0199-a")
    rollout.message("user", "List the folder.", #","id":"m-1""#)
    rollout.message("assistant", "There is one file.", #","id":"m-2""#)
    return rollout
  }

  /// Counts the steps of an import, and writes to the file at one of them.
  private final class Steps: Sendable {
    private let count = Locked(0)
    private let chosen: Int
    private let write: @Sendable () throws -> Void

    init(_ chosen: Int, write: @escaping @Sendable () throws -> Void) {
      self.chosen = chosen
      self.write = write
    }

    var hasWritten: Bool { count.withLock { $0 > chosen } }

    func step() throws {
      let number = count.withLock { count in
        count += 1
        return count - 1
      }
      if number == chosen { try write() }
    }
  }

  /// A reading with a step before each record, and one behind the last.
  private struct SteppedReading: SourceReading {
    var reading: any SourceReading
    let steps: Steps

    var facts: SourceFacts { reading.facts }
    var bookmark: SourceBookmark? { reading.bookmark }

    mutating func next() throws -> SourceRecord? {
      try steps.step()
      let record = try reading.next()
      if record == nil { try steps.step() }
      return record
    }
  }

  /// Takes in the new records of a file, as a watch does; nil if the file changed during the import, which a watch tries again.
  private static func take(
    _ file: URL, _ talk: Talk, _ store: Store, _ followed: FollowedFiles, _ steps: Steps? = nil
  ) async throws -> ImportReport? {
    let opened = try ForeignFile(path: file.path, isGrowing: true, followed: followed)
    var source = talk.codec.source(of: opened)
    if let steps {
      let (open, growth) = (source.open, try #require(source.growth))
      source.open = { SteppedReading(reading: try open(), steps: steps) }
      source.growth = .init(size: growth.size) { range in
        try steps.step()
        return try growth.bytes(range)
      } open: { bookmark in
        try growth.open(bookmark).map { SteppedReading(reading: $0, steps: steps) }
      }
    }
    do { return try await store.importing(source) } catch let error as FormatError
      where error.code == .changed
    {
      return nil
    } catch let error as KeepsakeError where error.code == .refused {
      return nil
    }
  }

  /// Imports a file that is cut at one step of its first or second import. Tells whether the import had so many steps.
  private static func run(_ talk: Talk, cutAt step: Int, inFirst: Bool) async throws -> Bool {
    try await withStore { store, folder in
      let file = folder.appending(path: "talk.jsonl")
      let (begun, grown, cut) = (talk.text(1), talk.text(1, 2), talk.text(3, 4))
      let write: @Sendable (String) throws -> Void = { try Data($0.utf8).write(to: file) }
      let steps = Steps(step) { try write(cut) }
      let followed = FollowedFiles()
      try write(begun)
      _ = try await take(file, talk, store, followed, inFirst ? steps : nil)
      if !inFirst {
        try write(grown)
        _ = try await take(file, talk, store, followed, steps)
      }
      guard steps.hasWritten else { return false }
      for text in [cut, talk.text(3, 4, 5)] {
        try write(text)
        let report = try await take(file, talk, store, followed)
        let id = try #require(report?.sessions.first?.id)
        let told = try await store.session(id).exported(as: talk.codec.format.name)
        #expect(String(decoding: told.bytes, as: UTF8.self) == text, "cut at step \(step)")
      }
      for summary in try await store.sessions().sessions {
        let told = try await store.session(summary.id).exported(as: talk.codec.format.name)
        let text = String(decoding: told.bytes, as: UTF8.self)
        #expect(
          [grown, talk.text(3, 4, 5)].contains { $0.hasPrefix(text) },
          "cut at step \(step), the file never said: \(text.suffix(400))")
      }
      return true
    }
  }

  @Test(arguments: talks, [true, false])
  func `become sessions that say what the file said at some time`(_ talk: Talk, inFirst: Bool)
    async throws
  {
    var step = 0
    while try await Self.run(talk, cutAt: step, inFirst: inFirst) { step += 1 }
    #expect(step > 5)
  }
}
