import Foundation
import KeepsakeBenchReport
import KeepsakeYardstick

/// What a reader must know of the machine in order to make something of the figures.
struct Machine {
  let lines: [String]

  init(_ workshop: Workshop) async throws {
    let floor = try await workshop.floor(2000).median
    let bytes = workshop.material.bytes(4 << 20)
    let digest = await workshop.digestSpeed(bytes, times: 15)
    lines = [
      Hardware.line,
      "SQLite \(String(cString: yardstick_sqlite_version())), "
        + "SHA-256 \(Int(digest)) MB/s, 16 KiB overwritten durably in \(floor.short) µs",
    ]
  }
}
