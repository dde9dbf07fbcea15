import Foundation

/// The machine on which a bench runs.
package enum Hardware {
  /// A line about the processor, the memory and the system, which a reader of the figures must know.
  package static var line: String {
    let process = ProcessInfo.processInfo
    return "\(processor), \(process.activeProcessorCount) cores, "
      + "\(process.physicalMemory >> 30) GiB, \(process.operatingSystemVersionString)"
  }

  private static var processor: String {
    let name = ProcessFigures.read("/proc/cpuinfo")?.split(separator: "\n")
      .first { $0.hasPrefix("model name") }?.split(separator: ":").last
    return name.map { $0.trimmingCharacters(in: .whitespaces) }
      ?? "a processor that has no name here"
  }
}
