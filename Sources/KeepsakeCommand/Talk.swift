import KeepsakeFiles

/// The two streams of a command that talks to a program, and to nobody else.
struct Talk: Sendable {
  /// Reads the next bytes; none at the end.
  let read: @Sendable () throws -> [UInt8]
  /// Writes all bytes.
  let write: @Sendable ([UInt8]) throws -> Void
}

extension Terminal {
  /// Takes the streams for a talk with a program. The command must not write a result in any other way from then on.
  func talk() throws -> Talk {
    try takeTalk?() ?? Talk(read: input, write: output)
  }

  /// The talk over the process's own streams, to which nothing else of the process can write.
  static func ownTalk() throws -> Talk {
    let streams = try PrivateStreams()
    return Talk(read: { try streams.read() }, write: { try streams.write($0) })
  }
}
