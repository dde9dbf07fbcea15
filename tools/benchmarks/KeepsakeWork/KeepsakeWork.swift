import Foundation
import KeepsakeWorkMeter

/// Says what everyday work costs in statements, pages, syncs, bytes and allocations.
///
///     KeepsakeWork FIXTURE [--times N]
///
/// FIXTURE is a transcript to import. With `--times` everything is done so often: what a test must notice. Prints
/// `{"build": "debug" or "release", "work": {name: {count: value}}}`.
@main
struct KeepsakeWork {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let fixture = arguments.first else {
      FileHandle.standardError.write(Data("usage: KeepsakeWork FIXTURE [--times N]\n".utf8))
      exit(64)
    }
    var times = 1
    if let option = arguments.firstIndex(of: "--times"), option + 1 < arguments.endIndex {
      times = Int(arguments[option + 1]) ?? 1
    }
    workmeter_begin()
    let folder = FileManager.default.temporaryDirectory.appending(path: "work-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Off the main thread: from there each call would cost a change of threads on top.
    let work = try await Task.detached {
      let everyday = EverydayWork(folder: folder, fixture: URL(filePath: fixture), times: times)
      return try await everyday.measured()
    }.value
    try FileManager.default.removeItem(at: folder)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    print(String(decoding: try encoder.encode(Result(work: work)), as: UTF8.self))
  }

  private struct Result: Encodable {
    #if DEBUG
      let build = "debug"
    #else
      let build = "release"
    #endif
    let work: [String: Work]
  }
}
