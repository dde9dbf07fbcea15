import Foundation

/// The options that all benches understand.
package struct BenchOptions: Sendable {
  package private(set) var isQuick = false
  package private(set) var isJSON = false
  package private(set) var isList = false
  package private(set) var isHelp = false
  package private(set) var isVerbose = false
  /// The file in which the rows are kept for the documentation.
  package private(set) var record: String?
  package private(set) var only: [String] = []
  package private(set) var folder = ".build/bench"

  package init() {}

  /// Takes an option, and the value that belongs to it; false for one that not all benches understand.
  package mutating func take(_ option: String, _ arguments: inout Arguments) throws -> Bool {
    switch option {
    case "--quick": isQuick = true
    case "--json": isJSON = true
    case "--list": isList = true
    case "--help", "-h": isHelp = true
    case "--verbose": isVerbose = true
    case "--record": record = try arguments.value(of: option)
    case "--only": only.append(try arguments.value(of: option))
    case "--folder": folder = try arguments.value(of: option)
    default: return false
    }
    return true
  }

  package func wants(_ name: String) -> Bool {
    only.isEmpty || only.contains { name.contains($0) }
  }
}

extension BenchOptions {
  /// Measures what is wanted, and returns the rows of all passes as one.
  ///
  /// A machine's busy spells are longer than a measure: the middle of some that lie minutes apart counts.
  package func rows<Each: Measured>(
    of measures: [Each], _ measure: (Each) async throws -> [Row]
  ) async throws -> [Row] {
    var passes: [[Row]] = []
    for _ in 0..<(isQuick ? 1 : 3) { passes.append(try await pass(measures, measure)) }
    return Row.medians(of: passes)
  }

  private func pass<Each: Measured>(
    _ measures: [Each], _ measure: (Each) async throws -> [Row]
  ) async throws -> [Row] {
    var rows: [Row] = []
    for each in measures where each.names.contains(where: wants) {
      // Earlier measures leave data that the system has not written to the disk yet. A measure must not wait for that data.
      sync()
      let busy = ProcessFigures.processorSeconds
      let time = try await microseconds { rows += try await measure(each) }
      let spent = ProcessFigures.processorSeconds - busy
      tell("\((time / 1e6).hundredths) s, \(spent.hundredths) s busy: \(each.names[0])")
    }
    return rows
  }

  /// Prints and records the rows that are wanted; tells whether their goals are met.
  package func show(_ rows: [Row], of machine: [String]) throws -> Bool {
    let report = Report(rows: rows.filter { wants($0.name) })
    guard !report.rows.isEmpty else {
      throw Misuse(message: "Nothing has that in its name: see --list.")
    }
    if let record {
      try report.record(of: machine, isQuick: isQuick).write(
        toFile: record, atomically: true, encoding: .utf8)
    }
    print(isJSON ? try report.json() : "\n" + report.table())
    return report.isMet
  }

  /// Prints a message on standard error, if `--verbose` was given.
  package func tell(_ text: String) {
    if isVerbose { BenchProgram.say(text) }
  }
}
