import Foundation

/// The frame of a program that measures.
package enum BenchProgram {
  /// Runs the program and ends it: with status 1 where a goal is missed, and with others after an error.
  /// - Parameters:
  ///   - name: The program's name, for messages.
  ///   - usage: What is shown to somebody who called it in a way that it does not understand.
  ///   - body: The work. It returns whether all goals are met.
  package static func run(
    _ name: String, usage: String, _ body: @escaping @Sendable () async throws -> Bool
  ) async -> Never {
    do {
      // Off the main thread: from there each call would cost a change of threads on top.
      let isMet = try await Task.detached { try await body() }.value
      exit(isMet ? 0 : 1)
    } catch let misuse as Misuse {
      say("\(name): \(misuse.message)\n\n\(usage)")
      exit(64)
    } catch {
      say("\(name): \(error)")
      exit(70)
    }
  }

  package static func say(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
