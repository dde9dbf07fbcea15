import KeepsakeFiles
import Foundation
import KeepsakeTestSupport
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("The list beside several pages")
struct HTMLListTests {
  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  /// Sessions of these titles, each with an image of its own.
  private func sessions(_ titles: [String?], in store: Store) async throws -> [Session] {
    var sessions: [Session] = []
    for (number, title) in titles.enumerated() {
      let session = try await store.createSession(title: title)
      try await session.append(.prompt("hello"))
      try await session.attach(
        .init(.data(Self.png + Data("\(number)".utf8)), fileName: "../../a\(number).svg"), to: 0)
      sessions.append(session)
    }
    return sessions
  }

  private static let png =
    Data(
      base64Encoded:
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    ) ?? Data()

  @Test func `several pages get a list that names each, with its first image`() async throws {
    try await withStore { store, folder in
      let sessions = try await sessions(
        ["Fruit", "\"><script>alert(1)</script>", nil, "javascript:alert(1)"], in: store)
      let out = folder.appending(path: "Out", directoryHint: .isDirectory)
      let report = try await store.export(sessions, as: "html", to: out)
      #expect(report.files.count == 4)
      let list = try #require(report.list)
      #expect(list.lastPathComponent == "index.html")
      #expect(
        try names(out)
          == (report.files.map(\.url.lastPathComponent) + ["index.html", "index.artifacts"])
          .sorted())
      let text = try String(contentsOf: list, encoding: .utf8)
      for file in report.files {
        #expect(text.contains("href=\"./\(URLPath.encoded(file.url.lastPathComponent))\""))
      }
      #expect(!text.contains("<script"))
      let images = try names(out.appending(path: "index.artifacts"))
      #expect(images.count == 4 && images.allSatisfy { $0.hasSuffix(".png") }, "\(images)")
      for image in images {
        #expect(text.contains("src=\"./index.artifacts/\(URLPath.encoded(image))\""))
      }
    }
  }

  @Test func `one page has no list, and without artifacts a list has no images`() async throws {
    try await withStore { store, folder in
      let sessions = try await sessions(["A", "B"], in: store)
      let one = folder.appending(path: "One", directoryHint: .isDirectory)
      #expect(try await store.export([sessions[0]], as: "html", to: one).list == nil)
      #expect(try names(one).count == 1)
      let bare = folder.appending(path: "Bare", directoryHint: .isDirectory)
      let report = try await store.export(
        sessions, as: "html", to: bare, options: .init(artifacts: ExportOptions.Artifacts.none))
      #expect(try names(bare).count == 3)
      let text = try String(contentsOf: #require(report.list), encoding: .utf8)
      #expect(!text.contains("<img"))
      let markdown = folder.appending(path: "Markdown", directoryHint: .isDirectory)
      #expect(try await store.export(sessions, as: "markdown", to: markdown).list == nil)
    }
  }

  @Test
  func `a list that is there is found before the first page is written, and replaced if asked`()
    async throws
  {
    try await withStore { store, folder in
      let sessions = try await sessions(["A", "B"], in: store)
      let out = folder.appending(path: "Out", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: out, withIntermediateDirectories: true)
      try Data("mine".utf8).write(to: out.appending(path: "index.html"))
      let error = try await #require(throws: FormatError.self) {
        try await store.export(sessions, as: "html", to: out)
      }
      #expect(error.code == .exists)
      #expect(try names(out) == ["index.html"])
      try await store.export(sessions, as: "html", to: out, replacing: true)
      try await store.export(sessions, as: "html", to: out, replacing: true)
      #expect(try names(out).count == 4)
    }
  }

  @Test func `an image whose bytes are gone leaves its session without a cover`() async throws {
    try await withStore { store, folder in
      let sessions = try await sessions(["A", "B"], in: store)
      try await sessions[0].attach(
        .init(.data(Self.png + Data(repeating: 1, count: 200_000))), to: 0)
      let third = try await store.createSession(title: "C")
      try await third.append(.prompt("x"))
      let image = try await third.attach(
        .init(.data(Self.png + Data(repeating: 2, count: 200_000))), to: 0)
      let hex = try #require(image.artifact?.id.digest.hex)
      try FileManager.default.removeItem(
        at: store.url.appending(path: "artifacts/\(hex.prefix(2))/\(hex.dropFirst(2))"))
      let out = folder.appending(path: "Out", directoryHint: .isDirectory)
      let report = try await store.export(sessions + [third], as: "html", to: out)
      let text = try String(contentsOf: #require(report.list), encoding: .utf8)
      #expect(text.components(separatedBy: "<img").count == 3)
      #expect(try names(out.appending(path: "index.artifacts")).count == 2)
      #expect(text.components(separatedBy: "class=\"session\"").count == 4)
    }
  }
}
