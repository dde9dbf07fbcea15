import Testing

@testable import KeepsakeFiles

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

struct ProcessNumberTests {
  @Test func `is that of the process, and of a fork its own`() throws {
    #expect(ProcessNumber.current == getpid())
    // Swift has no fork of its own: nothing but what is safe in the middle of anything may follow it.
    let program = try #require(unsafe dlopen(nil, RTLD_NOW))
    defer { unsafe _ = dlclose(program) }
    let symbol = try #require(unsafe dlsym(program, "fork"))
    let fork = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
    let child = fork()
    if child == 0 { _exit(ProcessNumber.current == getpid() ? 0 : 1) }
    try #require(child > 0)
    var status: Int32 = -1
    #expect(unsafe waitpid(child, &status, 0) == child)
    #expect(status == 0)
    #expect(ProcessNumber.current == getpid())
  }
}
