import Keepsake

/// A tool of coding agents that writes files, by the form of its arguments.
enum WritingTool {
  /// A tool whose arguments are a path and the whole text.
  case write
  /// A tool whose arguments are a path, and pieces of the text with their replacements.
  case edit
  /// A tool whose arguments are a path, and a command that says what is done to it.
  case editor
  /// A tool whose argument is a patch of several files.
  case patch
  /// A tool that runs a command.
  case shell

  /// - Parameter name: The name that the model called, which may begin with the name of an MCP server and `__`.
  init?(named name: String) {
    let own = name.split(separator: "__").last ?? name[...]
    let plain = own.lowercased().filter { !"_-. ".contains($0) }
    guard let tool = Self.names[plain] else { return nil }
    self = tool
  }

  /// The tools' names in lower case, without the characters between their words.
  private static let names: [String: WritingTool] = [
    "write": .write, "writefile": .write, "createfile": .write, "writetofile": .write,
    "edit": .edit, "multiedit": .edit, "editfile": .edit, "replace": .edit, "strreplace": .edit,
    "replaceinfile": .edit, "notebookedit": .edit,
    "strreplaceeditor": .editor, "strreplacebasededittool": .editor,
    "applypatch": .patch,
    "bash": .shell, "shell": .shell, "shellcommand": .shell, "localshell": .shell, "exec": .shell,
    "execcommand": .shell, "executecommand": .shell, "executebash": .shell,
    "runcommand": .shell, "runshellcommand": .shell, "runterminalcmd": .shell,
    "containerexec": .shell, "terminal": .shell,
  ]

  /// The files that a call of the tool names.
  /// - Parameter arguments: The call's arguments, which in some tools are no JSON.
  func works(of arguments: String) -> [FileWork] {
    let json = try? JSON(validating: arguments)
    switch self {
    case .write: return json.flatMap(Self.written).map { [$0] } ?? []
    case .edit: return json.flatMap(Self.edited).map { [$0] } ?? []
    case .editor: return json.flatMap(Self.edits).map { [$0] } ?? []
    case .patch:
      let text = json.flatMap { $0.first(Self.patches)?.stringValue ?? $0.stringValue }
      return PatchText.works(in: text ?? arguments)
    case .shell: return json.map(Self.run) ?? ShellText.works(in: arguments)
    }
  }
}

// MARK: - Tools for files

extension WritingTool {
  private static let paths = [
    "file_path", "path", "filePath", "notebook_path", "absolute_path", "target_file", "filename",
    "TargetFile",
  ]
  private static let texts = ["content", "file_text", "contents", "text"]
  private static let patches = ["input", "patch", "patchText"]

  private static func path(_ arguments: JSON) -> String? {
    guard let path = arguments.first(paths)?.stringValue, !path.isEmpty else { return nil }
    return path
  }

  private static func written(_ arguments: JSON) -> FileWork? {
    path(arguments).map { path in
      let text = arguments.first(texts)?.stringValue
      return FileWork(path: path, deed: text.map { .write($0) } ?? .change)
    }
  }

  private static func edited(_ arguments: JSON) -> FileWork? {
    guard let path = path(arguments) else { return nil }
    let edits = arguments["edits"]?.arrayValue ?? [arguments]
    let replacements = edits.compactMap(replacement)
    guard replacements.count == edits.count else { return FileWork(path: path, deed: .change) }
    // Replacing an empty text makes a new file.
    if let only = replacements.first, replacements.count == 1, only.old.isEmpty {
      return FileWork(path: path, deed: .write(only.new))
    }
    return FileWork(path: path, deed: .edit(replacements))
  }

  private static func replacement(_ edit: JSON) -> FileWork.Replacement? {
    guard let old = edit.first(["old_string", "old_str", "oldText", "oldString"])?.stringValue,
      let new = edit.first(["new_string", "new_str", "newText", "newString"])?.stringValue
    else { return nil }
    let isEverywhere = edit.first(["replace_all", "replaceAll"])?.boolValue ?? false
    return .init(old: old, new: new, isEverywhere: isEverywhere)
  }

  private static func edits(_ arguments: JSON) -> FileWork? {
    switch arguments["command"]?.stringValue {
    case "create": written(arguments)
    case "str_replace": edited(arguments)
    case "insert", "undo_edit": path(arguments).map { FileWork(path: $0, deed: .change) }
    default: nil
    }
  }
}

// MARK: - Commands

extension WritingTool {
  private static func run(_ arguments: JSON) -> [FileWork] {
    let action = arguments["action"] ?? arguments
    guard let command = action.first(["command", "cmd", "commands", "script", "CommandLine"]) else {
      return []
    }
    let words = command.arrayValue?.compactMap(\.stringValue)
    let text = words?.joined(separator: "\n") ?? command.stringValue ?? ""
    let folder = action.first(["workdir", "cwd", "directory", "dir_path", "working_directory"])?
      .stringValue
    return ShellText.works(in: text).map { work in
      guard let folder, folder.hasPrefix("/"), !work.path.hasPrefix("/"),
        !work.path.hasPrefix("~")
      else { return work }
      return FileWork(path: "\(folder)/\(work.path)", deed: work.deed)
    }
  }
}

extension JSON {
  /// The value of the first key that the object has.
  fileprivate func first(_ keys: [String]) -> JSON? {
    guard kind == .object else { return nil }
    return keys.lazy.compactMap { self[$0] }.first
  }
}
