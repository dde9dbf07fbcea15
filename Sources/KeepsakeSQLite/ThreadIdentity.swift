#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Identifies a thread, so that a thread can be kept from waiting for itself.
struct ThreadIdentity: Equatable, Sendable {
  private let number: UInt

  static var current: ThreadIdentity {
    #if canImport(Glibc)
      ThreadIdentity(number: UInt(pthread_self()))
    #else
      ThreadIdentity(number: unsafe UInt(bitPattern: pthread_self()))
    #endif
  }
}
