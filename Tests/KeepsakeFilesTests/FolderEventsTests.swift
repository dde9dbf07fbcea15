#if os(Linux)
  import Foundation
  import KeepsakeFiles
  import Testing

  @Suite("What the system tells of folders")
  struct FolderEventsTests {
    /// The folders are made while they begin to be listened at, one after the other: whatever the listener was about to do
    /// when one of them came to be, it has to find the last.
    @Test func `reaches a folder that is made at once with those above it`() async throws {
      let folder = try TemporaryFolder()
      let top = try #require(FileStatus.resolvedPath(folder.path))
      for round in 0..<300 {
        let below = "\(top)/\(round)/b/c/d/e"
        let (told, tell) = AsyncStream.makeStream(of: FolderEvents.Event.self)
        let events = try FolderEvents(below: [below]) { news in news.forEach { tell.yield($0) } }
        try FileManager.default.createDirectory(
          atPath: below, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(filePath: "\(below)/file"))
        let waiting = Task {
          try await Task.sleep(for: .seconds(20))
          tell.finish()
        }
        var isTold = false
        for await event in told {
          isTold = true
          #expect(event == .look(below) || event == .changed("\(below)/file"))
          break
        }
        waiting.cancel()
        events.stop()
        guard isTold else {
          Issue.record("It was not told of the folder in round \(round).")
          return
        }
      }
    }
  }
#endif
