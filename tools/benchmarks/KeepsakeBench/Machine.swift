import Foundation
import KeepsakeYardstick

/// What a reader must know of the machine in order to make something of the figures.
struct Machine {
  let lines: [String]

  init(_ workshop: Workshop) async throws {
    let floor = try await workshop.floor(2000).median
    let bytes = workshop.material.bytes(4 << 20)
    let digest = await workshop.digestSpeed(bytes, times: 15)
    let process = ProcessInfo.processInfo
    lines = [
      "\(Self.processor), \(process.activeProcessorCount) cores, "
        + "\(process.physicalMemory >> 30) GiB, \(process.operatingSystemVersionString)",
      "SQLite \(String(cString: yardstick_sqlite_version())), "
        + "SHA-256 \(Int(digest)) MB/s, 16 KiB overwritten durably in \(floor.short) µs",
    ]
  }

  private static var processor: String {
    let name = ProcessFigures.read("/proc/cpuinfo")?.split(separator: "\n")
      .first { $0.hasPrefix("model name") }?.split(separator: ":").last
    return name.map { $0.trimmingCharacters(in: .whitespaces) }
      ?? "a processor that has no name here"
  }
}
