#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Another program that runs by itself: started with a list of arguments, so that no shell reads them.
public struct ChildProcess: Sendable {
  /// The number by which the system knows it.
  public let id: Int32

  /// Starts a program that reads nothing, and of which nobody sees what it prints. Ctrl-C does not reach it.
  /// - Parameters:
  ///   - path: The program's file.
  ///   - arguments: What it is given, its own name left out.
  ///   - environment: The variables that it sees; no others.
  public init(
    starting path: String, _ arguments: [String], environment: [String: String]
  ) throws(FileError) {
    for text in [path] + arguments { try checkPath(text.isEmpty ? "-" : text) }
    id = try Spawn(streams: [0: .nothing, 1: .nothing, 2: .nothing], isOwnGroup: true)(
      path, [path] + arguments, environment: environment, as: path)
  }

  /// How it ended: its code, 128 and the number of a signal, or nil while it runs. Only once, once it has ended.
  public func exitCode() -> Int32? {
    var status: Int32 = 0
    let ended = uninterrupted { unsafe waitpid(id, &status, WNOHANG) }
    guard ended == id else { return ended == 0 ? nil : 0 }
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }

  /// Lets it go on alone. What the system keeps of it once it has ended is taken away, as long as this process runs.
  public func leave() {
    Task.detached { [self] in
      while exitCode() == nil { try? await Task.sleep(for: .seconds(1)) }
    }
  }

  /// The file of a program that is looked for in folders, as a shell does; nil where there is none.
  /// - Parameters:
  ///   - name: The program.
  ///   - folders: As `PATH` has them, parted by colons.
  public static func find(_ name: String, in folders: String) -> String? {
    folders.split(separator: ":").lazy.map { "\($0)/\(name)" }
      .first { unsafe $0.hasPrefix("/") && access($0, X_OK) == 0 }
  }
}
