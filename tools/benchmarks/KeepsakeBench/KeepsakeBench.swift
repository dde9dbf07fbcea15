import Foundation

/// The program behind tools/bench.
@main
struct KeepsakeBench {
  static func main() async {
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      // Off the main thread: from there each call would cost a change of threads on top.
      let isMet = try await Task.detached { try await run(options) }.value
      exit(isMet ? 0 : 1)
    } catch let misuse as Options.Misuse {
      say("keepsake-bench: \(misuse.message)\n\n\(Options.usage)")
      exit(64)
    } catch {
      say("keepsake-bench: \(error)")
      exit(70)
    }
  }

  private static func run(_ options: Options) async throws -> Bool {
    let isForSlowDisk = options.slowDiskRows != nil
    if options.isHelp {
      print(Options.usage)
      return true
    }
    if options.isList {
      for name in Measure.all.flatMap(\.names) { print(name) }
      return true
    }
    let workshop = try Workshop(
      in: URL(filePath: options.folder, directoryHint: .isDirectory), isQuick: options.isQuick)
    let rows: [Row]
    do {
      if !options.isJSON, !isForSlowDisk {
        for line in try await Machine(workshop).lines { print(line) }
      }
      rows = try await measure(options, in: workshop, isForSlowDisk: isForSlowDisk)
    } catch {
      try workshop.remove()
      throw error
    }
    try workshop.remove()
    if let path = options.slowDiskRows {
      try Report(rows: rows).json().write(toFile: path, atomically: true, encoding: .utf8)
      return true
    }
    let report = Report(rows: rows)
    guard !report.rows.isEmpty else {
      throw Options.Misuse(message: "Nothing has that in its name: see --list.")
    }
    print(options.isJSON ? try report.json() : "\n" + report.table())
    return report.isMet
  }

  private static func measure(_ options: Options, in workshop: Workshop, isForSlowDisk: Bool)
    async throws -> [Row]
  {
    var rows: [Row] = []
    for measure in Measure.all where measure.isForSlowDisk == isForSlowDisk {
      guard measure.names.contains(where: options.wants) else { continue }
      if isatty(STDERR_FILENO) != 0 { say("measuring \(measure.names[0])") }
      rows += try await measure.run(workshop, measure.names)
    }
    if let path = options.include, FileManager.default.fileExists(atPath: path) {
      rows += try JSONDecoder().decode([Row].self, from: Data(contentsOf: URL(filePath: path)))
    }
    return rows.filter { options.wants($0.name) }
  }

  private static func say(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
