#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The memory of a process that has done much and will rest for long.
public enum RestingMemory {
  /// Gives back to the system the pages of the program's own code. Those that run again come from its file.
  ///
  /// Linux keeps pages of code in memory for as long as some process has them mapped, and takes away data of others first.
  /// Takes less than a millisecond. Does nothing on other systems, which do so by themselves.
  public static func giveBack() {
    #if os(Linux)
      for range in codeOfProgram() {
        _ = unsafe madvise(
          UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED)
      }
    #endif
  }

  #if os(Linux)
    /// Where the program's code is mapped, which nobody writes to.
    private static func codeOfProgram() -> [Range<UInt>] {
      guard let program = ProgramPath.current,
        let bytes = try? FileDescriptor(opening: "/proc/self/maps").readAll(limit: 4 << 20)
      else { return [] }
      // "55d0c6a00000-55d0c7a00000 r-xp 001c6000 fe:00 262155  /usr/bin/keepsake"
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
        let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
        guard fields.count == 6, fields[1] == "r-xp",
          fields[5].drop(while: { $0 == " " }) == program[...]
        else { return nil }
        let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
      }
    }
  #endif
}
