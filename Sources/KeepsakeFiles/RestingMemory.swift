#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Reduces the memory of a process that has done much work and will rest for a long time.
package enum RestingMemory {
  /// Returns the pages of the program's own code to the system, which reads them from the file when they run again.
  ///
  /// Linux keeps pages of code in memory while a process has them mapped, and takes away other data first. This takes
  /// less than a millisecond. It does nothing on other systems, which do it on their own.
  package static func giveBack() {
    #if os(Linux)
      for range in codeOfProgram() {
        _ = unsafe madvise(
          UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED)
      }
    #endif
  }

  #if os(Linux)
    /// The address ranges of the program's code, which is never written to.
    private static func codeOfProgram() -> [Range<UInt>] {
      guard let program = ProgramPath.current,
        let bytes = try? FileDescriptor(opening: "/proc/self/maps").readAll(limit: 4 << 20)
      else { return [] }
      // A line is "55d0c6a00000-55d0c7a00000 r-xp 001c6000 fe:00 262155  /usr/bin/keepsake".
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
