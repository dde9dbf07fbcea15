/// Reads patches in the format of OpenAI's agents: files that are added, changed and removed, between two lines of
/// stars.
enum PatchText {
  private static let beginning = "*** Begin Patch"
  private static let end = "*** End Patch"

  /// The files in all patches of a text.
  static func works(in text: String) -> [FileWork] {
    guard text.contains(beginning) else { return [] }
    var works: [FileWork] = []
    var open: OpenFile?
    var isInside = false
    // The text is split as bytes, because Swift reads a CR and an LF as one character.
    for bytes in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      let line = Substring(bytes)
      if line.hasPrefix(beginning) { isInside = true }
      guard isInside else { continue }
      if let next = OpenFile(line) {
        works += open?.works ?? []
        open = next
      } else if line.hasPrefix(end) {
        works += open?.works ?? []
        open = nil
        isInside = false
      } else {
        open?.add(line)
      }
    }
    return works + (open?.works ?? [])
  }

  /// A file of a patch whose lines are being read.
  private struct OpenFile {
    private enum Kind: String, CaseIterable {
      case add = "*** Add File: "
      case update = "*** Update File: "
      case delete = "*** Delete File: "
    }

    private static let move = "*** Move to: "

    private let kind: Kind
    private let path: String
    private var target: String?
    private var text = ""
    private var hunks: [FileWork.Replacement] = []
    private var old = ""
    private var new = ""

    /// - Parameter line: The first line of the file in the patch; nil is returned for any other line.
    init?(_ line: Substring) {
      guard let kind = Kind.allCases.first(where: { line.hasPrefix($0.rawValue) }) else {
        return nil
      }
      self.kind = kind
      path = Self.name(line.dropFirst(kind.rawValue.count))
    }

    /// A path at the end of a line. In a patch with the line ends of Windows a carriage return stands behind it.
    private static func name(_ rest: Substring) -> String {
      rest.last == "\r" ? String(rest.dropLast()) : String(rest)
    }

    mutating func add(_ line: Substring) {
      if line.hasPrefix(Self.move) { target = Self.name(line.dropFirst(Self.move.count)) }
      let rest = line.dropFirst()
      switch line.first {
      case "+" where kind == .add: text += rest + "\n"
      case "+": new += rest + "\n"
      case "-": old += rest + "\n"
      case " ":
        old += rest + "\n"
        new += rest + "\n"
      case nil:
        old += "\n"
        new += "\n"
      default: endHunk()
      }
    }

    private mutating func endHunk() {
      if !old.isEmpty || !new.isEmpty { hunks.append(.init(old: old, new: new)) }
      old = ""
      new = ""
    }

    var works: [FileWork] {
      var file = self
      file.endHunk()
      if let target {
        return [FileWork(path: path, deed: .remove), FileWork(path: target, deed: .change)]
      }
      switch kind {
      case .add: return [FileWork(path: path, deed: .write(text))]
      case .update: return [FileWork(path: path, deed: .edit(file.hunks))]
      case .delete: return [FileWork(path: path, deed: .remove)]
      }
    }
  }
}
