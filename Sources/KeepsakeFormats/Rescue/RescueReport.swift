package import KeepsakeFiles

/// The report of a rescue: why the conversation can't continue, what was healed, and what can't be healed.
package struct RescueReport: Sendable {
  /// A broken rule, where it shows.
  package struct Finding: Sendable, Hashable {
    package let cause: RescueCause
    /// The number of the line in the file, counted from 1.
    package let line: Int
    /// A sentence that says what is wrong there.
    package let detail: String
  }

  /// A change that heals a fault.
  package struct Change: Sendable, Hashable {
    package let edit: RescueEdit
    package let cause: RescueCause
    /// The number of the line in the file, counted from 1. For an added line it is the line before.
    package let line: Int
    /// The JSON Pointer of the changed value; nil where the whole line changes.
    package let pointer: String?
  }

  /// The size of a conversation.
  package struct Extent: Sendable, Hashable {
    package var lines = 0
    /// The number of lines that are sent when the conversation continues.
    package var sent = 0
    package var images = 0
    /// The size of what is sent, in bytes.
    package var bytes = 0
  }

  /// The program's name for a person.
  package let program: String
  /// The program's id of the conversation.
  package let sessionID: String?
  package let title: String?
  /// The folder of the conversation.
  package let folder: String?
  package let version: String?
  /// The version of the program that heals a cause by itself.
  let heals: @Sendable (RescueCause) -> String?
  package internal(set) var findings: [Finding] = []
  package internal(set) var changes: [Change] = []
  /// The faults that are left in the healed file.
  package internal(set) var unhealed: [Finding] = []
  package internal(set) var before = Extent()
  package internal(set) var after = Extent()
  /// The last request's failure according to the file, with its line; nil where the last request did not fail.
  package internal(set) var complaint: (line: Int, text: String)?
  /// The digests of the images and documents that became labels.
  package internal(set) var labelled: [SHA256Digest] = []

  /// The number of findings that a newer version of the program heals, with that version; nil where there are none.
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
