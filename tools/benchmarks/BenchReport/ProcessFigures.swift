import Foundation

/// What Linux counts for this process; nil elsewhere.
package enum ProcessFigures {
  /// The bytes given to `write` and its like since the process began.
  package static var written: Int? { field("wchar", in: "/proc/self/io") }

  /// The processor time that this process has had, on all cores; POSIX counts it in millionths.
  package static var processorSeconds: Double { Double(clock()) / 1e6 }

  /// The memory that is in use, in bytes.
  package static var memory: Int? { field("VmRSS", in: "/proc/self/status").map { $0 << 10 } }

  /// The most memory that was in use since `resetPeak`, in bytes.
  package static var peak: Int? { field("VmHWM", in: "/proc/self/status").map { $0 << 10 } }

  /// Begins to count the peak anew; false where that can't be done.
  package static func resetPeak() -> Bool {
    guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return false }
    do {
      try file.write(contentsOf: Data("5".utf8))
      try file.close()
      return true
    } catch {
      return false
    }
  }

  private static func field(_ name: String, in path: String) -> Int? {
    guard let text = read(path) else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix("\(name):") {
      return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
        .flatMap { Int($0) }
    }
    return nil
  }

  /// Files of /proc say that they are empty, so they are read until they end.
  package static func read(_ path: String) -> String? {
    guard let file = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? file.close() }
    do {
      return try file.readToEnd().map { String(decoding: $0, as: UTF8.self) }
    } catch {
      return nil
    }
  }
}
