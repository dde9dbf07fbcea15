#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension FileLock {
  /// The process that keeps this object from the lock now, as far as it can be told; nil otherwise.
  ///
  /// It may be a program that is not ours: Linux says who holds a lock. Elsewhere it is the recorded ``holder``. For
  /// messages, never for decisions.
  public var blocker: Int32? {
    #if os(Linux)
      if Self.areHoldersListed { return listedHolder() }
    #endif
    return holder
  }

  /// Whether the system says who holds a lock.
  public static var areHoldersListed: Bool {
    #if os(Linux)
      unsafe access(list, R_OK) == 0
    #else
      false
    #endif
  }

  #if os(Linux)
    private static let list = "/proc/locks"

    /// The process that Linux says has it.
    func listedHolder() -> Int32? {
      guard let status = try? file.status(),
        let bytes = try? FileDescriptor(opening: Self.list).readAll(limit: 4 << 20)
      else { return nil }
      // "12: FLOCK  ADVISORY  WRITE 4711 fe:00:262155 0 EOF"; one that waits has "->" before its kind.
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
        // 0 and -1 are processes that can't be seen from here.
        if let process = Int32(fields[4]), process > 0 { return process }
      }
      return nil
    }
  #endif
}
