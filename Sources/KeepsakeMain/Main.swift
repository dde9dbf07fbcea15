#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import KeepsakeCommand

@main
enum Main {
  /// The first thread waits for interrupts while others work: an asynchronous `main` would end it, and unwinding it costs
  /// a short command a tenth of its time.
  static func main() {
    let interrupts = Interrupts()
    let work = Task { @concurrent in
      let environment = ProcessInfo.processInfo.environment
      let program = Program(
        terminal: .standard(environment: environment, paging: interrupts.paging),
        environment: environment)
      let code = await program.run(Array(CommandLine.arguments.dropFirst()))
      exit(interrupts.hasCome ? Interrupts.code : code.rawValue)
    }
    interrupts.handle { work.cancel() }
  }
}
