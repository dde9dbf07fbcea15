package import KeepsakeFiles

/// Why a conversation can't be gone on with, what heals it, and what can't be healed.
package struct RescueReport: Sendable {
  /// A rule that is broken.
  package struct Finding: Sendable, Hashable {
    package let cause: RescueCause
    /// Of the file, counted from 1.
    package let line: Int
    /// What exactly is wrong there.
    package let detail: String
  }

  /// A change that heals.
  package struct Change: Sendable, Hashable {
    package let edit: RescueEdit
    package let cause: RescueCause
    /// Of the file, counted from 1; of a line that is added, the one that it follows.
    package let line: Int
    /// What is changed in the line, as a JSON pointer; nil where it is the whole line.
    package let pointer: String?
  }

  /// How large it is.
  package struct Extent: Sendable, Hashable {
    package var lines = 0
    /// The lines on the way to the last one: what is sent when it goes on.
    package var sent = 0
    package var images = 0
    /// Of what is sent.
    package var bytes = 0
  }

  /// As a person calls the program.
  package let program: String
  /// The program's own id of the conversation.
  package let sessionID: String?
  package let title: String?
  /// The folder that it was held in.
  package let folder: String?
  package let version: String?
  /// The version of the program that heals a cause by itself.
  let heals: @Sendable (RescueCause) -> String?
  package internal(set) var findings: [Finding] = []
  package internal(set) var changes: [Change] = []
  /// What is still wrong in the healed file.
  package internal(set) var unhealed: [Finding] = []
  package internal(set) var before = Extent()
  package internal(set) var after = Extent()
  /// What the file itself says of why it could not go on, and where.
  package internal(set) var complaint: (line: Int, text: String)?
  /// The images and documents that became labels.
  package internal(set) var labelled: [SHA256Digest] = []

  /// How many of the findings a newer version of the program heals, and which.
  package var healedByItself: (count: Int, version: String)? {
    let known = findings.compactMap { heals($0.cause) }.filter { healed in
      version.map { Self.isOlder($0, than: healed) } ?? false
    }
    return known.max { Self.isOlder($0, than: $1) }.map { (known.count, $0) }
  }

  static func isOlder(_ version: String, than other: String) -> Bool {
    func numbers(_ text: String) -> [Int] { text.split(separator: ".").map { Int($0) ?? 0 } }
    return numbers(version).lexicographicallyPrecedes(numbers(other))
  }
}
