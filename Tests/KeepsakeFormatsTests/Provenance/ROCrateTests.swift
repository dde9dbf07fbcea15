import Foundation
import KeepsakeFiles
import Keepsake
import Testing

@testable import KeepsakeFormats

@Suite("RO-Crate")
struct ROCrateTests {
  @Test func `a session with everything is a crate, with its files beside`() async throws {
    try await withEverything { made, folder in
      let file = folder.appending(path: "ro-crate-metadata.json")
      let losses = try await made.session.export(as: "ro-crate", to: file)
      let bytes = try Data(contentsOf: file)
      try await Golden.expect(bytes, of: made, is: "ro-crate/everything.json")
      #expect(losses.counts == [.contents: 13])
      let graph = try Self.graph([UInt8](bytes))
      var files = 0
      for node in graph where node["@type"]?.stringValue == "File" {
        let path = try #require(node["@id"]?.stringValue.flatMap(URLPath.decoded))
        let data = try Data(contentsOf: folder.appending(path: path))
        #expect(node["sha256"]?.stringValue == SHA256.digest(of: [UInt8](data)).hex)
        #expect(node["contentSize"]?.stringValue == "\(data.count)")
        files += 1
      }
      #expect(files == 6)
    }
  }

  @Test func `without files a crate names artifacts by their digests`() async throws {
    try await withEverything { made, _ in
      let (bytes, losses) = try await made.session.exported(as: "ro-crate")
      let graph = try Self.graph(bytes)
      let files = graph.filter { $0["@type"]?.stringValue == "File" }
      #expect(files.allSatisfy { $0["@id"]?.stringValue?.hasPrefix("sha256:") ?? false })
      #expect(losses[.attachments] == files.count)
      #expect(try await made.session.exported(as: "ro-crate").bytes == bytes)
      let root = "urn:uuid:\(made.session.id.uuidString.lowercased())"
      #expect(graph.first?["about"]?["@id"]?.stringValue == root)
    }
  }

  @Test func `each thing is there once, and every link leads to one`() async throws {
    try await withEverything { made, _ in
      for session in [made.session, made.fork] {
        let graph = try Self.graph(try await session.exported(as: "ro-crate").bytes)
        let ids = graph.compactMap { $0["@id"]?.stringValue }
        #expect(Set(ids).count == ids.count && ids.count == graph.count)
        let links = graph.flatMap { $0.members ?? [] }.flatMap { $0.value.arrayValue ?? [$0.value] }
          .compactMap { $0["@id"]?.stringValue }
        for link in links
        where !ids.contains(link) && !link.hasPrefix("http") && !link.hasPrefix("urn:") {
          Issue.record("\(link) is not there")
        }
      }
    }
  }

  @Test func `a tool's call says what it used and made, and how it ended`() async throws {
    try await withEverything { made, _ in
      let graph = try Self.graph(try await made.session.exported(as: "ro-crate").bytes)
      let drawn = try #require(graph.first { $0["@id"]?.stringValue == "#call-4.0" })
      #expect(drawn["@type"]?.stringValue == "CreateAction")
      #expect(drawn["instrument"]?["@id"]?.stringValue == "#tool-Draw")
      #expect(drawn["agent"]?["@id"]?.stringValue == "#model-painter-1")
      #expect(
        drawn["actionStatus"]?["@id"]?.stringValue == "http://schema.org/CompletedActionStatus")
      #expect(drawn["startTime"]?.stringValue == "2026-11-18T12:46:40Z")
      let failed = try #require(graph.first { $0["@id"]?.stringValue == "#call-4.2" })
      #expect(failed["actionStatus"]?["@id"]?.stringValue == "http://schema.org/FailedActionStatus")
      #expect(failed["error"]?.stringValue == "no <luck>")
      let spoken = try #require(graph.first { $0["@id"]?.stringValue == "#call-4.1" })
      #expect(spoken["startTime"] == nil && spoken["actionStatus"] == nil)
    }
  }

  @Test func `an empty session is a crate of a conversation`() async throws {
    try await withStore { store, _ in
      let (bytes, losses) = try await store.createSession().exported(as: "ro-crate")
      let ids = try Self.graph(bytes).compactMap { $0["@id"]?.stringValue }
      #expect(ids.contains("#conversation"))
      #expect(losses.isEmpty)
    }
  }

  @Test func `it is for no model to go on from, and is not read`() async throws {
    try await ExportRefusals.expectWrittenOnly("ro-crate")
  }

  @Test func `a cancelled export leaves nothing behind`() async throws {
    try await ExportRefusals.expectNothingWhenCancelled("ro-crate")
  }

  private static func graph(_ bytes: [UInt8]) throws -> [JSON] {
    let json = try JSON(validating: String(decoding: bytes, as: UTF8.self))
    return try #require(json["@graph"]?.arrayValue)
  }
}
