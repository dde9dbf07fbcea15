import Foundation
import KeepsakeArchive
import KeepsakeFiles
import Keepsake
import KeepsakeTestSupport
import Testing

@testable import KeepsakeFormats

@Suite("Imports of archives and compressed files")
struct PackedImportTests {
  private static func rollout(_ id: String, _ texts: String...) -> String {
    var rollout = Rollout(id: id)
    for text in texts { rollout.message("user", text) }
    return rollout.lines.joined(separator: "\n") + "\n"
  }

  /// Writes a file beside the store.
  @discardableResult
  private func write(_ bytes: [UInt8], _ name: String, in folder: URL) throws -> URL {
    let url = folder.appending(path: name)
    try Data(bytes).write(to: url)
    return url
  }

  /// An export as services make them: conversations, and what lies beside them.
  private static let export = Packed.zip([
    .init("chat.html", "<!DOCTYPE html><html><body>a</body></html>"),
    .init("notes.md", "# A heading\n"), .init("user.json", #"{"id":"u","email":"a@example.org"}"#),
    .init([UInt8]("file-1.png".utf8), [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
    .init("__MACOSX/._a.jsonl", rollout("hidden", "hidden")),
    .init("a.jsonl", rollout("a", "a banana")), .init("more/b.jsonl", rollout("b", "a cup")),
    .init("empty.json"),
  ])

  @Test func `the files of an archive are taken over, and what is beside them is left`()
    async throws
  {
    try await withStore { store, folder in
      let url = try write(Self.export, "export", in: folder)
      let report = try await store.importFile(at: url)
      #expect(report.sessions.count == 2 && report.sessions.allSatisfy(\.new))
      #expect(report.skipped.isEmpty, "\(report.skipped)")
      let again = try await store.importFile(at: url)
      #expect(again.sessions.count == 2 && !again.sessions.contains(where: \.new))
      #expect(again.sessions.allSatisfy { $0.added == 0 })
      // Unpacked, they are the same.
      try write(Array(Self.rollout("a", "a banana").utf8), "a.jsonl", in: folder)
      let alone = try await store.importFile(at: folder.appending(path: "a.jsonl"))
      #expect(alone.sessions.first?.new == false)
      #expect(try await store.sessions().sessions.count == 2)
    }
  }

  @Test func `a compressed file is taken over as what it holds`() async throws {
    try await withStore { store, folder in
      let short = Self.rollout("a", "a banana")
      let long = Self.rollout("a", "a banana", "a cup")
      let first = try await store.importFile(
        at: write(Packed.zstd(Array(short.utf8)), "rollout.jsonl.zst", in: folder))
      #expect(first.sessions.first?.new == true)
      let grown = try await store.importFile(
        at: write(Packed.gzip(Array(long.utf8)), "rollout.jsonl.gz", in: folder))
      #expect(grown.sessions.first?.id == first.sessions.first?.id)
      #expect(grown.sessions.first?.added == 1)
      let plain = try await store.importFile(
        at: write(Array(long.utf8), "rollout.jsonl", in: folder))
      #expect(plain.sessions.first?.added == 0 && plain.sessions.first?.new == false)
      let session = try await store.session(try #require(first.sessions.first?.id))
      #expect(try session.sourceSheet(format: "codex")?.isWhole == true)
    }
  }

  @Test func `endings are taken off as programs put them on`() {
    for (name, plain) in [
      ("a.jsonl.zst", "a.jsonl"), ("a.jsonl.gz", "a.jsonl"), ("A.GZ", "A"), (".gz", ".gz"),
      ("a.zip", "a.zip"), ("a", "a"),
    ] {
      #expect(ImportFiles.withoutEnding(name) == plain)
    }
  }

  @Test func `what is damaged or inside of another archive is told, and the rest is taken over`()
    async throws
  {
    try await withStore { store, folder in
      var bytes = Packed.zip([
        .init("a.jsonl", Self.rollout("a", "a banana")),
        .init("b.jsonl", Self.rollout("b", "a bad cup")),
        .init([UInt8]("c.zip".utf8), Self.export), .init("../d.jsonl", "{}"),
        .init([UInt8]("e.7z".utf8), [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C, 0, 4]),
        .init(
          [UInt8]("f.docx".utf8),
          Packed.zip([.init("[Content_Types].xml", "<Types/>"), .init("word/document.xml", "a")])),
        .init("chatgpt.json", #"[{"title":"t","mapping":{"a":{}},"current_node":"a"}]"#),
      ])
      let spot = try #require(bytes.firstRange(of: Array("bad cup".utf8)))
      bytes[spot.lowerBound] ^= 1
      let url = try write(bytes, "export.zip", in: folder)
      let report = try await store.importFile(at: url)
      #expect(report.sessions.count == 1)
      let paths = ["b.jsonl", "../d.jsonl", "c.zip", "e.7z", "chatgpt.json"].map {
        "\(url.path)/\($0)"
      }
      #expect(Set(report.skipped.compactMap(\.path)) == Set(paths), "\(report.skipped)")
      let reasons = report.skipped.map(\.reason).joined(separator: "\n")
      #expect(reasons.contains("a zip archive inside of another file"), "\(reasons)")
      #expect(reasons.contains("There is no conversation in it"), "\(reasons)")
      #expect(reasons.contains("leads out of the archive"), "\(reasons)")
    }
  }

  /// What is refused as a whole, and how.
  @Test func `what gives nothing is refused with the reason`() async throws {
    let rollout = Array(Self.rollout("a", "a banana").utf8)
    var secret = Packed.Member("a.jsonl", "1234567890123")
    secret.flags = 0x801
    var damaged = Packed.zip([.init([UInt8]("a.jsonl".utf8), rollout)])
    damaged[60] ^= 1
    try await withStore { store, folder in
      for (bytes, code, words) in [
        (Packed.zip([]), FormatError.Code.unrecognised, "there is nothing in it"),
        (Packed.zip([.init("a.html", "<html>")]), .unrecognised, "none of its files"),
        (Packed.zip([secret]), .unsupported, "export.zip/a.jsonl': it is encrypted"),
        (damaged, .malformed, "export.zip/a.jsonl"),
        (
          Array(Packed.zip([.init([UInt8]("a.jsonl".utf8), rollout)]).prefix(20)), .malformed,
          "Get it"
        ),
        (Packed.gzip(Packed.zip([])), .unsupported, "a zip archive inside of another file"),
        (Packed.zstd(Packed.gzip(rollout)), .unsupported, "compressed with gzip inside"),
        (Array(Packed.zstd(rollout).dropLast(5)), .malformed, "cut off"),
        (Packed.gzip([]), .unrecognised, "it is empty"),
        (
          Packed.zip([.init([UInt8]("x.gz".utf8), Packed.gzip(rollout))]), .unsupported,
          "export.zip/x.gz': it is a file compressed with gzip inside"
        ),
      ] {
        let url = try write(bytes, "export.zip", in: folder)
        let error = try await #require(throws: FormatError.self, "\(words)") {
          try await store.importFile(at: url)
        }
        #expect(error.code == code, "\(error)")
        #expect(error.message.contains(words), "\(error)")
        #expect(error.message.contains("export.zip"), "\(error)")
      }
      #expect(try await store.sessions().sessions.isEmpty)
    }
  }

  @Test func `an archive is not taken into a session, and a compressed file is`() async throws {
    try await withStore { store, folder in
      let session = try await store.createSession()
      let zip = try write(Self.export, "export.zip", in: folder)
      let error = try await #require(throws: FormatError.self) {
        try await store.importFile(at: zip, into: session)
      }
      #expect(error.message.contains("name one file of it"), "\(error)")
      let rollout = Array(Self.rollout("a", "a banana").utf8)
      let report = try await store.importFile(
        at: write(Packed.gzip(rollout), "a.gz", in: folder), into: session)
      #expect(report.sessions.map(\.id) == [session.id])
    }
  }

  @Test func `how far it is is told in steps that only grow, to the end`() async throws {
    try await withStore { store, folder in
      let told = Locked<[Double]>([])
      let url = try write(Self.export, "export.zip", in: folder)
      try await store.importFile(at: url) { fraction in told.withLock { $0.append(fraction) } }
      let steps = told.withLock { $0 }
      #expect(steps.count > 1 && steps.count <= 100 && steps == steps.sorted())
      #expect(steps.last == 1)
    }
  }

  @Test func `a file that is written to while it is unpacked is refused`() async throws {
    try await withTemporaryFolder { folder in
      let text = String(repeating: "a line\n", count: 100_000)
      for bytes in [
        Packed.zip([.init("a", text), .init("b", text)]), Packed.zstd(Array(text.utf8)),
      ] {
        let url = try write(bytes, "packed", in: folder)
        let modified = try #require(FileStatus(path: url.path)).modified
        let error = try #require(throws: FormatError.self) {
          try ImportFiles(
            at: url.path, in: folder.path,
            progress: ImportProgress { _ in
              let later = Date(timeIntervalSince1970: Double(modified) / 1e9 + 60)
              try? FileManager.default.setAttributes(
                [.modificationDate: later], ofItemAtPath: url.path)
            })
        }
        #expect(error.code == .changed, "\(error)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["packed"])
      }
    }
  }

  @Test func `a tar archive is not taken for a file of lines`() async throws {
    try await withStore { store, folder in
      let rollout = Array(Self.rollout("a", "a banana").utf8)
      var tar = Array("a.jsonl".utf8) + [UInt8](repeating: 0, count: 505)
      tar.replaceSubrange(257..<262, with: Array("ustar".utf8))
      tar += rollout
      for bytes in [tar, Packed.gzip(tar)] {
        let url = try write(bytes, "sessions", in: folder)
        let error = try await #require(throws: FormatError.self) {
          try await store.importFile(at: url)
        }
        #expect(error.message.contains("it is a tar archive"), "\(error)")
      }
      let zip = Packed.zip([
        .init([UInt8]("a.tar".utf8), tar), .init([UInt8]("a.jsonl".utf8), rollout),
      ])
      let report = try await store.importFile(at: write(zip, "export.zip", in: folder))
      #expect(report.sessions.count == 1)
      #expect(report.skipped.first?.path?.hasSuffix("export.zip/a.tar") == true)
    }
  }

  @Test func `what is unpacked lies together until it is removed, and is in nobody's way`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let url = try write(Self.export, "export.zip", in: folder)
      let place = folder.appending(path: "place")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
      func left() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: place.path)
      }
      let files = try ImportFiles(at: url.path, as: "my.zip", in: place.path)
      #expect(files.isArchive)
      let conversation = try #require(files.files.first { $0.lastName == "a.jsonl" })
      #expect(conversation.name == "my.zip/a.jsonl")
      let image = URL(filePath: conversation.path).deletingLastPathComponent()
        .appending(path: "file-1.png")
      #expect(try Data(contentsOf: image).count == 8)
      try files.requireReadable(as: nil)
      files.remove()
      #expect(try left().isEmpty)

      var limits = UnpackingLimits()
      limits.members = 2
      let error = try #require(throws: FormatError.self) {
        try ImportFiles(
          at: url.path, as: nil, in: place.path, limits: limits, progress: nil)
      }
      #expect(error.code == .tooLarge && error.message.contains("more than 2 files"), "\(error)")
      limits = UnpackingLimits()
      limits.spare = .max / 2
      let full = try #require(throws: FormatError.self) {
        try ImportFiles(
          at: url.path, as: nil, in: place.path, limits: limits, progress: nil)
      }
      #expect(full.code == .unwritable && full.message.contains("TMPDIR"), "\(full)")
      let stopped = Task {
        while !Task.isCancelled { await Task.yield() }
        return try ImportFiles(at: url.path, in: place.path)
      }
      stopped.cancel()
      await #expect(throws: CancellationError.self) { try await stopped.value }
      #expect(try left().isEmpty)
    }
  }
}
