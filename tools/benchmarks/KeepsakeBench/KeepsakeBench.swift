import Foundation
import KeepsakeBenchReport

/// The program behind tools/bench.
@main
struct KeepsakeBench {
  static func main() async {
    await BenchProgram.run("KeepsakeBench", usage: Options.usage) {
      try await run(try Options(Array(CommandLine.arguments.dropFirst())))
    }
  }

  private static func run(_ options: Options) async throws -> Bool {
    let common = options.common
    if let writer = options.writer {
      try await WritingProcess.append(to: writer.place, session: writer.session)
      return true
    }
    if let folder = options.driven {
      try await Driver.run(in: folder)
      return true
    }
    if common.isHelp {
      print(Options.usage)
      return true
    }
    if common.isList {
      for name in Measure.all.flatMap(\.names) { print(name) }
      return true
    }
    let workshop = try Workshop(
      in: URL(filePath: common.folder, directoryHint: .isDirectory), isQuick: common.isQuick,
      command: options.command)
    let isMet: Bool
    do { isMet = try await run(options, in: workshop) } catch {
      try workshop.remove()
      throw error
    }
    try workshop.remove()
    return isMet
  }

  private static func run(_ options: Options, in workshop: Workshop) async throws -> Bool {
    let common = options.common
    let isForSlowDisk = options.slowDiskRows != nil
    let machine = isForSlowDisk ? [] : try await Machine(workshop).lines
    if !common.isJSON { for line in machine { print(line) } }
    if options.isMachine { return true }
    var rows: [Row]
    if options.isScale {
      rows = try await Scale(workshop, sizes: options.sizes) { common.tell($0) }.rows()
    } else {
      let measures = Measure.all.filter { $0.isForSlowDisk == isForSlowDisk }
      rows = try await common.rows(of: measures) { try await $0.run(workshop, $0.names) }
    }
    if let path = options.slowDiskRows {
      rows = rows.filter { common.wants($0.name) }
      try Report(rows: rows).json().write(toFile: path, atomically: true, encoding: .utf8)
      return true
    }
    if let path = options.include, FileManager.default.fileExists(atPath: path) {
      rows += try JSONDecoder().decode([Row].self, from: Data(contentsOf: URL(filePath: path)))
    }
    return try common.show(rows, of: machine)
  }
}
