#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension [UInt8] {
  /// Creates random bytes that nobody can predict.
  ///
  /// Swift's generator asks the system for eight bytes at a time. This asks for as many as the system gives at once.
  package init(random count: Int) {
    self = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let room = UnsafeMutableRawBufferPointer(buffer)
      #if canImport(Darwin)
        if let start = room.baseAddress { unsafe arc4random_buf(start, count) }
      #else
        for start in stride(from: 0, to: count, by: 256) {
          let size = Swift.min(256, count - start)
          // Without randomness, a salt would reveal what it has to hide, so the process stops.
          guard unsafe getentropy(room.baseAddress?.advanced(by: start), size) == 0 else {
            fatalError("Can't get random bytes: error \(errno) of the system.")
          }
        }
      #endif
      filled = count
    }
  }
}
