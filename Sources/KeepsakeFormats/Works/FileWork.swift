import Keepsake

/// What a tool call does to a file, as far as the call's arguments say it.
struct FileWork: Sendable, Hashable {
  /// As the call spells it: an absolute path, or one from wherever the tool ran.
  let path: String
  let deed: Deed

  enum Deed: Sendable, Hashable {
    /// The file holds this text afterwards.
    case write(String)
    /// Pieces of the file's text are replaced, one after the other.
    case edit([Replacement])
    /// The file is made or changed; how, the arguments don't say.
    case change
    /// A command names the file, which may be what it makes or what it reads.
    case name
    /// The file is gone afterwards.
    case remove
  }

  /// A piece of a file's text, and what stands there afterwards.
  struct Replacement: Sendable, Hashable {
    let old: String
    let new: String
    /// Whether each place that has the piece is meant; else it has to be the only one.
    var isEverywhere = false
  }
}

extension FileWork {
  /// The files that a call names as its work, in the order in which it names them.
  static func works(of call: Entry.ToolCall) -> [FileWork] {
    guard let tool = WritingTool(named: call.tool) else { return [] }
    return tool.works(of: call.arguments)
  }
}
