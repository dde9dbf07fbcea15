import Foundation
import Keepsake
import KeepsakeBenchReport

extension Measure {
  static let watching = Measure(
    names: ["watch: from an agent's write to the store, p99"], run: measureWatch)

  /// Lines that are added to one of many sessions, each until the watch says that the store has it.
  private static func measureWatch(_ workshop: Workshop, _ names: [String]) async throws -> [Row] {
    guard let command = workshop.command else { return [] }
    let folder = workshop.place("agents")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = (0..<(workshop.isQuick ? 50 : 1000)).map { folder.appending(path: "\($0).jsonl") }
    for file in files { try workshop.material.sessionOfText(of: 20_000, at: file) }
    let watch = Process()
    let printed = Pipe()
    watch.executableURL = URL(filePath: command)
    watch.arguments = [
      "--store", workshop.place("store.keepsake").path, "watch", folder.path, "--json",
    ]
    watch.standardOutput = printed
    try watch.run()
    defer { watch.terminate() }
    var lines = Lines(of: printed.fileHandleForReading)
    while let line = lines.next(), !line.contains(#"{"looked""#) {}
    var samples: [Double] = []
    for number in 0..<(workshop.isQuick ? 100 : 500) {
      let file = try FileHandle(forWritingTo: files[number * 7 % files.count])
      try file.seekToEnd()
      let line = Data(workshop.material.line(number).utf8)
      let start = ContinuousClock.now
      try file.write(contentsOf: line)
      try file.close()
      guard lines.next() != nil else { break }
      samples.append((ContinuousClock.now - start) / .milliseconds(1))
      try await Task.sleep(for: .milliseconds(number % 50))
    }
    return [
      Row(names[0], value: samples.percentile(0.99), unit: "ms", goal: .valueAtMost(500))
    ]
  }

  /// What a program prints, line by line, as it comes.
  private struct Lines {
    let file: FileHandle
    var rest = Data()

    init(of file: FileHandle) { self.file = file }

    mutating func next() -> String? {
      while true {
        if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          defer { rest = Data(rest[(end + 1)...]) }
          return String(decoding: rest[..<end], as: UTF8.self)
        }
        let more = file.availableData
        if more.isEmpty { return nil }
        rest += more
      }
    }
  }
}

extension Material {
  /// A line that an agent adds to a session.
  fileprivate mutating func line(_ number: Int) -> String {
    let words = JSON.string(text(number)).text
    return Self.line("user", next(), 0, #""message":{"role":"user","content":\#(words)}"#)
  }
}
