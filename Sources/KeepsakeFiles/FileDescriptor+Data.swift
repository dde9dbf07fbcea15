#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension FileDescriptor {
  /// Reads a number of bytes from an offset, or fewer where the file ends.
  ///
  /// The bytes are read directly into the memory of the result. An array would be filled with zeros first and copied
  /// afterwards, which for a megabyte costs more than reading it.
  package borrowing func data(count: Int, at offset: Int64) throws(FileError) -> Data {
    if count == 0 { return Data() }
    guard let memory = unsafe malloc(count) else {
      throw FileError(errno: ENOMEM, "Can't read '\(path)'", path: path)
    }
    let room = unsafe UnsafeMutableRawBufferPointer(start: memory, count: count)
    do throws(FileError) {
      let read = try unsafe readFully(room, at: offset)
      return unsafe Data(bytesNoCopy: memory, count: read, deallocator: .free)
    } catch {
      unsafe free(memory)
      throw error
    }
  }

  /// Reads a number of bytes from an offset as a text, directly into its memory; nil where the file ends earlier.
  ///
  /// Bytes that are not UTF-8 become U+FFFD.
  package borrowing func text(count: Int, at offset: Int64) throws(FileError) -> String? {
    var failure: FileError?
    var read = 0
    let text = unsafe String(unsafeUninitializedCapacity: count) { units in
      do throws(FileError) {
        read = try unsafe readFully(UnsafeMutableRawBufferPointer(units), at: offset)
      } catch { failure = error }
      return read
    }
    if let failure { throw failure }
    return read == count ? text : nil
  }
}
