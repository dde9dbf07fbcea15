import Foundation

/// Several processes of this program, which do their work at the same time.
package enum Crew {
  private struct Member {
    let process = Process()
    let input = Pipe()
    let output = Pipe()
  }

  /// Starts this program once for each list of arguments, has all begin together when each is ready, and waits for their ends.
  /// - Returns: What each has found, in the order of the lists.
  package static func run<Found: Decodable>(_ arguments: [[String]]) throws -> [Found] {
    let members = try arguments.map { arguments in
      let member = Member()
      member.process.executableURL = URL(filePath: CommandLine.arguments[0])
      member.process.arguments = arguments
      member.process.standardInput = member.input
      member.process.standardOutput = member.output
      try member.process.run()
      return member
    }
    for member in members { _ = try member.output.fileHandleForReading.read(upToCount: 1) }
    for member in members { try member.input.fileHandleForWriting.write(contentsOf: Data([10])) }
    return try members.map { member in
      let json = try member.output.fileHandleForReading.readToEnd() ?? Data()
      member.process.waitUntilExit()
      return try JSONDecoder().decode(Found.self, from: json)
    }
  }

  /// Tells the starting process that this process is ready, and waits until all processes of the crew are ready.
  package static func wait() throws {
    try FileHandle.standardOutput.write(contentsOf: Data("\n".utf8))
    _ = try FileHandle.standardInput.read(upToCount: 1)
  }

  /// Gives the starting process the result of this process.
  package static func report(_ found: some Encodable) throws {
    try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(found))
  }
}
