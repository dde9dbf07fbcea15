import Foundation
import Keepsake
import Testing

@testable import KeepsakeFormats

/// JSON that was written of a session with everything, compared as people would lay it out.
enum Golden {
  static func expect(
    _ bytes: Data, of made: EverythingSession.Made, is name: String,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let text = try await made.steady(String(decoding: bytes, as: UTF8.self))
    try Snapshot.expect(JSONLayout.text(JSON(validating: text)) + "\n", is: name, location)
  }
}

/// What every format does that is written for others and not read.
enum ExportRefusals {
  static func expectWrittenOnly(_ format: String) async throws {
    try await withStore { store, folder in
      let session = try await store.createSession()
      let resumed = try await #require(throws: FormatError.self) {
        try await session.exported(as: format, options: .init(resumption: .init()))
      }
      #expect(resumed.code == .unsupported)
      let file = folder.appending(path: "a.json")
      try await session.export(as: format, to: file)
      let read = try await #require(throws: FormatError.self) {
        try await store.importFile(at: file, format: format)
      }
      #expect(read.code == .unsupported)
      await #expect(throws: FormatError.self) { try await store.importFile(at: file) }
    }
  }

  static func expectNothingWhenCancelled(_ format: String) async throws {
    try await withEverything { made, folder in
      let place = folder.appending(path: "Out")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
      let task = Task {
        while !Task.isCancelled { await Task.yield() }
        return try await made.session.export(as: format, to: place.appending(path: "a.json"))
      }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).isEmpty)
    }
  }
}
