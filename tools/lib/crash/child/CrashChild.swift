import Foundation

/// The program that tools/crash, tools/soak, tools/serve-pages and tests start, kill, and ask for the truth afterwards.
///
///     KeepsakeCrashChild write STORE SEED [--tasks N] [--largest BYTES] [--budget BYTES] [--finish]
///     KeepsakeCrashChild contend STORE SEED --sessions one|many --seconds N
///     KeepsakeCrashChild read STORE [--reads N] [--seconds N] [--each N] [--writable]
///     KeepsakeCrashChild tell STORE SESSION
///     KeepsakeCrashChild offer FOLDER SESSION
///     KeepsakeCrashChild check          reads lines `STORE <tab> ACKNOWLEDGEMENTS`, answers each with a line
@main
struct CrashChild {
  static func main() async {
    do {
      var arguments = Arguments(CommandLine.arguments.dropFirst())
      switch arguments.next() {
      case "write":
        try await Workload(&arguments).run()
      case "contend":
        try await Contention(&arguments).run()
      case "read":
        try await Reading(&arguments).run()
      case "tell":
        var telling = try await Telling(&arguments)
        await telling.listen()
      case "offer":
        try await Offering(&arguments).run()
      case "check":
        await answer()
      default:
        throw Failure("say write, contend, read, tell, offer or check, as tools/crash does.")
      }
    } catch {
      FileHandle.standardError.write(Data("KeepsakeCrashChild: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func answer() async {
    while let line = readLine() {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      let answer: String
      if fields.count == 2 {
        answer = await Checker(store: fields[0], acknowledgements: fields[1]).run().line
      } else {
        answer = "bad\ta line has \(fields.count) fields"
      }
      FileHandle.standardOutput.write(Data("\(answer)\n".utf8))
    }
  }
}

/// Why the program can't do what was asked.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The words of the command line.
struct Arguments {
  private var words: [String]

  init(_ words: some Sequence<String>) { self.words = Array(words) }

  mutating func next() -> String? { words.isEmpty ? nil : words.removeFirst() }

  mutating func required(_ name: String) throws -> String {
    guard let word = next() else { throw Failure("\(name) is missing.") }
    return word
  }

  mutating func number(_ name: String) throws -> Int {
    let word = try required(name)
    guard let number = Int(word) else { throw Failure("\(name) is no number: '\(word)'.") }
    return number
  }
}
