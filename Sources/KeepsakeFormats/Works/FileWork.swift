import Keepsake

/// The work of a tool call on a file, according to the call's arguments.
struct FileWork: Sendable, Hashable {
  /// The path as the call spells it, absolute or relative to the folder in which the tool ran.
  let path: String
  let deed: Deed

  /// The kind of the work.
  enum Deed: Sendable, Hashable {
    /// The call gives the file this whole text.
    case write(String)
    /// The call replaces pieces of the file's text, one after the other.
    case edit([Replacement])
    /// The call makes or changes the file in a way that the arguments do not tell.
    case change
    /// A command contains the file's name, and may make or only read the file.
    case name
    /// The call removes the file.
    case remove
  }

  /// A piece of a file's text, and the text that replaces it.
  struct Replacement: Sendable, Hashable {
    let old: String
    let new: String
    /// Whether all places of the piece are meant; otherwise the piece has to be unique in the text.
    var isEverywhere = false
  }
}

extension FileWork {
  /// The files that a call writes or names, in the order of its arguments.
  static func works(of call: Entry.ToolCall) -> [FileWork] {
    guard let tool = WritingTool(named: call.tool) else { return [] }
    return tool.works(of: call.arguments)
  }
}
