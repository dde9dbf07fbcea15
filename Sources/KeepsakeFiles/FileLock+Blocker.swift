#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension FileLock {
  /// The number of the process that holds the lock against this object; nil where it is not known.
  ///
  /// On Linux the system tells it, even for a program that is not Keepsake's. Elsewhere it is the recorded
  /// ``holder``. It is meant for messages, never for decisions.
  package var blocker: Int32? {
    #if os(Linux)
      if Self.areHoldersListed { return listedHolder() }
    #endif
    return holder
  }

  /// Whether the system tells which process holds a lock.
  package static var areHoldersListed: Bool {
    #if os(Linux)
      unsafe access(list, R_OK) == 0
    #else
      false
    #endif
  }

  #if os(Linux)
    private static let list = "/proc/locks"

    /// The process that holds the lock according to Linux.
    func listedHolder() -> Int32? {
      guard let status = try? file.status(),
        let bytes = try? FileDescriptor(opening: Self.list).readAll(limit: 4 << 20)
      else { return nil }
      // A line is "12: FLOCK  ADVISORY  WRITE 4711 fe:00:262155 0 EOF". A waiting process has "->" before the kind.
      let device = status.device
      let major = (device >> 8) & 0xfff | (device >> 32) & ~0xfff
      let minor = device & 0xff | (device >> 12) & ~0xff
      for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
        let fields = line.split(separator: " ")
        guard fields.count >= 6, fields[1] == "FLOCK" else { continue }
        let place = fields[5].split(separator: ":")
        guard place.count == 3, UInt64(place[0], radix: 16) == major,
          UInt64(place[1], radix: 16) == minor, UInt64(place[2]) == status.inode
        else { continue }
        // The numbers 0 and -1 stand for processes that can't be seen from here.
        if let process = Int32(fields[4]), process > 0 { return process }
      }
      return nil
    }
  #endif
}
