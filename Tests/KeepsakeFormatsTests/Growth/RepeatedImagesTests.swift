import Foundation
import Keepsake
import KeepsakeTestSupport
import Testing

@testable import KeepsakeFormats

/// Logs that hold each image many times, as agents write them.
@Suite("What an image costs that a log repeats")
struct RepeatedImagesTests {
  private static let count = 8

  /// Pictures that are no more alike than pictures are, in base64.
  private static func images(_ count: Int = count, of size: Int) -> [String] {
    (0..<count).map { number in
      var generator = SeededGenerator(seed: UInt64(number + 1))
      let bytes = (0..<size).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      return Data(bytes).base64EncodedString()
    }
  }

  /// Claude Code writes an image that a tool read into its result, and again into what a person is shown.
  private static func claudeCode(_ images: [String]) -> [String] {
    images.enumerated().flatMap { number, image in
      [
        ClaudeCodeReadingTests.assistant(
          "a-\(number)", id: "m-\(number)",
          #"{"type":"tool_use","id":"t-\#(number)","name":"Read","input":{"file_path":"/home/alice/\#(number).png"}}"#
        ),
        ClaudeCodeReadingTests.user(
          "u-\(number)",
          #"[{"tool_use_id":"t-\#(number)","type":"tool_result","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"\#(image)"}}]}]"#,
          #""toolUseResult":{"type":"image","file":{"base64":"\#(image)","type":"image/png"}},"#),
      ]
    }
  }

  /// Codex writes an image that it made as the call's result, into an event, and into each compaction after it.
  private static func codex(
    _ images: [String], compactions: Int, of history: [String]? = nil, words: Int = 0
  ) -> [String] {
    var rollout = Rollout(id: "s1")
    for (number, image) in images.enumerated() {
      rollout.item(
        #"{"type":"image_generation_call","id":"ig_\#(number)","status":"completed","result":"\#(image)","output_format":"png"}"#
      )
      rollout.event(
        #"{"type":"image_generation_end","call_id":"ig_\#(number)","status":"completed","result":"\#(image)"}"#
      )
    }
    let history = (history ?? images).map {
      #"{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,\#($0)"}]}"#
    }
    for number in 0..<compactions {
      let summary = Self.prose(words, seed: UInt64(number))
      rollout.add(
        "compacted",
        #"{"message":"\#(summary)","replacement_history":[\#(history.joined(separator: ","))]}"#)
    }
    return rollout.lines
  }

  /// A text of so many bytes, no more alike to another than what people write.
  private static func prose(_ size: Int, seed: UInt64) -> String {
    var generator = SeededGenerator(seed: seed)
    var text = ""
    while text.utf8.count < size {
      // The earlier of two words: a few come often, most seldom.
      let (first, second) = (generator.next() % 400, generator.next() % 400)
      let word = min(first, second)
      text += ["b", "d", "gr", "l", "m", "n", "pl", "r", "st", "t"][Int(word % 10)]
      text += ["a", "e", "i", "o"][Int(word / 10 % 4)]
      text += ["n", "r", "st", "ld", "m", "ck", "te", "l", "ves", "ng"][Int(word / 40)] + " "
    }
    return String(text.prefix(size))
  }

  /// What a store's database and artifacts take; its log is used again by what comes.
  private static func size(of store: URL) throws -> Int {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: store.path)
    return try paths.reduce(0) { sum, path in
      guard path == "store.sqlite" || path.hasPrefix("artifacts/") else { return sum }
      let values = try store.appending(path: path)
        .resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
      return sum + (values.isRegularFile == true ? values.fileSize ?? 0 : 0)
    }
  }

  /// How many bytes a store grows by when it takes a log, which it gives back to the byte.
  private static func taken(_ text: String, as format: String, images: Int = count) async throws
    -> Int
  {
    try await withTemporaryFolder { folder in
      let empty = folder.appending(path: "Empty.keepsake")
      let first = try await Store(at: empty)
      try await first.compact()
      await first.close()
      let full = folder.appending(path: "Full.keepsake")
      // The index of search has more or less to it, by when it was written.
      var options = Store.Options()
      options.searchDelay = nil
      let store = try await Store(at: full, options: options)
      let report = try await store.importing(Array(text.utf8), in: folder, format: format)
      #expect(report.artifacts.new == images)
      let session = try await store.session(report.sessions[0].id)
      let (bytes, _) = try await session.exported(as: format)
      #expect(bytes == Array(text.utf8))
      try await store.compact()
      await store.close()
      return try size(of: full) - size(of: empty)
    }
  }

  @Test(arguments: [("claude-code", 2), ("codex", 2), ("codex", 3)])
  func `a log takes the bytes of its images once, and of its text`(format: String, copies: Int)
    async throws
  {
    let size = 400_000
    let images = Self.images(of: size)
    let lines =
      format == "codex"
      ? Self.codex(images, compactions: copies - 2) : Self.claudeCode(images)
    let text = lines.joined(separator: "\n") + "\n"
    let spelled = images.reduce(0) { $0 + $1.utf8.count } * copies
    #expect(text.utf8.count > spelled, "each image comes so often")
    let taken = try await Self.taken(text, as: format)
    let unique = Self.count * size + text.utf8.count - spelled
    #expect(Double(taken) <= 1.02 * Double(unique), "\(taken) for \(unique)")
  }

  @Test func `each further copy of an image costs its place, and the text around it`() async throws
  {
    let images = Self.images(of: 8000)
    let further = 40
    let once = Self.codex(images, compactions: 1).joined(separator: "\n") + "\n"
    let often = Self.codex(images, compactions: 1 + further).joined(separator: "\n") + "\n"
    let spelled = images.reduce(0) { $0 + $1.utf8.count } * further
    let words = often.utf8.count - once.utf8.count - spelled
    let added = try await Self.taken(often, as: "codex") - Self.taken(once, as: "codex")
    // An entry tells of each compaction; a page of the database is the least that a table grows by.
    #expect(added <= words + Self.count * further * 9 + further * 200 + 8 * 4096)
  }

  /// A log like one whose compactions repeat 89 images of 285 KB 50,000 times, with or without a summary of a page each.
  ///
  /// It has the same number of images, the same words for each repeat, and as many compactions for each KB of its images.
  @Test(arguments: [0, 4096])
  func `compactions that repeat all images take a fiftieth more than what is unique, at most`(
    words: Int
  ) async throws {
    let (size, count, compactions) = (4500, 89, 9)
    let images = Self.images(count, of: size)
    let before = Self.codex(images, compactions: 0).joined(separator: "\n") + "\n"
    let log =
      Self.codex(images, compactions: compactions, words: words).joined(separator: "\n") + "\n"
    let spelled = images.reduce(0) { $0 + $1.utf8.count }
    let text = before.utf8.count - 2 * spelled
    let added = log.utf8.count - before.utf8.count - compactions * spelled
    #expect(added >= compactions * (count * 100 + words))
    // Only the growth is compared. The images of this test are so small that their rows would outweigh their bytes.
    let grown =
      try await Self.taken(log, as: "codex", images: count)
      - Self.taken(before, as: "codex", images: count)
    let unique = size * count + text + added
    #expect(
      Double(size * count + text + grown) <= 1.02 * Double(unique),
      "\(grown) for \(added) of \(unique)")
  }

  /// A log with two repeats for each KB of its images, as one has that repeats 89 images of 285 KB 50,000 times.
  @Test func `the places of images that are repeated very often take a fiftieth of the rest`()
    async throws
  {
    let (size, count, compactions) = (1500, 400, 3)
    let images = Self.images(count, of: size)
    let log = Self.codex(images, compactions: compactions).joined(separator: "\n")
    // The same words, with no images in them.
    let empty = images.map { _ in "" }
    let words = Self.codex(images, compactions: compactions, of: empty).joined(separator: "\n")
    let spelled = images.reduce(0) { $0 + $1.utf8.count }
    #expect(log.utf8.count - words.utf8.count == spelled * compactions)
    let added =
      try await Self.taken(log + "\n", as: "codex", images: count)
      - Self.taken(words + "\n", as: "codex", images: count)
    let unique = size * count + words.utf8.count - 2 * spelled
    #expect(Double(added) <= 0.02 * Double(unique), "\(added) for \(unique)")
  }
}
