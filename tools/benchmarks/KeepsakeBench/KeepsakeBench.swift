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
      say("KeepsakeBench: \(misuse.message)\n\n\(Options.usage)")
      exit(64)
    } catch {
      say("KeepsakeBench: \(error)")
      exit(70)
    }
  }

  private static func run(_ options: Options) async throws -> Bool {
    if let writer = options.writer {
      try await WritingProcess.append(to: writer.place, session: writer.session)
      return true
    }
    if let folder = options.driven {
      try await Driver.run(in: folder)
      return true
    }
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
      in: URL(filePath: options.folder, directoryHint: .isDirectory), isQuick: options.isQuick,
      command: options.command)
    let rows: [Row]
    var machine: [String] = []
    do {
      if !isForSlowDisk { machine = try await Machine(workshop).lines }
      if !options.isJSON { for line in machine { print(line) } }
      if options.isMachine {
        try workshop.remove()
        return true
      }
      rows =
        options.isScale
        ? try await Scale(workshop, sizes: options.sizes) { options.isVerbose ? say($0) : () }
          .rows()
        : try await measure(options, in: workshop, isForSlowDisk: isForSlowDisk)
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
    if let path = options.record {
      try report.record(of: machine, isQuick: options.isQuick).write(
        toFile: path, atomically: true, encoding: .utf8)
    }
    print(options.isJSON ? try report.json() : "\n" + report.table())
    return report.isMet
  }

  private static func measure(_ options: Options, in workshop: Workshop, isForSlowDisk: Bool)
    async throws -> [Row]
  {
    // A machine's busy spells are longer than a measure: the middle of some that lie minutes apart counts.
    var passes: [[Row]] = []
    for _ in 0..<(options.isQuick ? 1 : 3) {
      passes.append(try await pass(options, in: workshop, isForSlowDisk: isForSlowDisk))
    }
    var rows = Row.medians(of: passes)
    if let path = options.include, FileManager.default.fileExists(atPath: path) {
      rows += try JSONDecoder().decode([Row].self, from: Data(contentsOf: URL(filePath: path)))
    }
    return rows.filter { options.wants($0.name) }
  }

  private static func pass(_ options: Options, in workshop: Workshop, isForSlowDisk: Bool)
    async throws -> [Row]
  {
    var rows: [Row] = []
    for measure in Measure.all where measure.isForSlowDisk == isForSlowDisk {
      guard measure.names.contains(where: options.wants) else { continue }
      // What the measures before have left for the disk to write is not for this one to wait for.
      sync()
      let busy = ProcessFigures.processorSeconds
      let time = try await microseconds {
        rows += try await measure.run(workshop, measure.names)
      }
      if options.isVerbose {
        let spent = ProcessFigures.processorSeconds - busy
        say("\((time / 1e6).hundredths) s, \(spent.hundredths) s busy: \(measure.names[0])")
      }
    }
    return rows
  }

  private static func say(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
