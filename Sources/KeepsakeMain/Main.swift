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
import Dispatch
import KeepsakeCommand

@main
enum Main {
  static func main() async {
    let environment = ProcessInfo.processInfo.environment
    let program = Program(
      terminal: .standard(environment: environment), environment: environment)
    let work = Task { await program.run(Array(CommandLine.arguments.dropFirst())) }
    let interrupts = Interrupts { work.cancel() }
    let code = await work.value
    exit(interrupts.hasCome ? Interrupts.code : code.rawValue)
  }
}
