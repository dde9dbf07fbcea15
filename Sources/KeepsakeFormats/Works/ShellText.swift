import Keepsake

/// Finds the files that a command may make: targets of its output, and the names of images, sounds, videos and PDFs.
///
/// No command is ever run, and no shell's grammar is followed exactly. The values of variables and patterns are not
/// known.
enum ShellText {
  /// The files that a command names, or the files of a patch in it.
  static func works(in command: String) -> [FileWork] {
    let patched = PatchText.works(in: command)
    if !patched.isEmpty { return patched }
    var known: Set<String> = []
    return words(of: command)
      .filter { isFile($0.text) && ($0.isTarget || isMedium($0.text)) }
      .map { strippingFolder($0.text) }
      .filter { known.insert($0).inserted }
      .map { FileWork(path: $0, deed: .name) }
  }

  private struct Word {
    let text: String
    /// Whether the word is the target of the command's output.
    let isTarget: Bool
  }

  private static let parting: Set<Character> = [
    " ", "\t", "\n", "\r\n", ";", "|", "&", "<", "(", ")", "[", "]", "{", "}", ",", "=", "\"", "'",
    "`",
  ]

  /// The words of a command. A quoted text on one line is one word where it may be a file's name.
  private static func words(of command: String) -> [Word] {
    var words: [Word] = []
    var word = ""
    var isTarget = false
    var quoted: (mark: Character, text: String, first: Int)?
    func end() {
      if !word.isEmpty { words.append(Word(text: word, isTarget: isTarget)) }
      if !word.isEmpty { isTarget = outputs.contains(word) }
      word = ""
    }
    for character in command {
      if let open = quoted {
        if character == open.mark {
          if open.text.contains(" "), isTarget || isMedium(open.text) {
            words.removeSubrange(open.first...)
            word = open.text
          }
          quoted = nil
        } else if character.isNewline {
          quoted = nil
        } else {
          quoted?.text.append(character)
        }
      } else if character == "\"" || character == "'" {
        end()
        quoted = (character, "", words.count)
      }
      if character == ">" {
        end()
        isTarget = true
      } else if parting.contains(character) {
        end()
      } else {
        word.append(character)
      }
    }
    end()
    return words
  }

  /// The options that name an output file.
  private static let outputs: Set<String> = ["-o", "--output", "--out", "--outfile"]

  /// Returns whether a word may be a file's name, and is no option, no address, and no text that a shell would expand.
  private static func isFile(_ word: String) -> Bool {
    guard let first = word.first, let last = word.last, first != "-", first != "&", last != "/"
    else { return false }
    return !word.contains("://") && !word.contains { "$*?<>|\\".contains($0) }
      && word.utf8.count <= 4096 && word != "/dev/null" && !word.allSatisfy(\.isNumber)
  }

  private static func isMedium(_ word: String) -> Bool {
    guard let name = word.split(separator: "/").last, let dot = name.lastIndex(of: "."),
      dot > name.startIndex, let type = MediaType.forFileExtension(String(name[dot...]))
    else { return false }
    return type.isImage || type.isAudio || type.isVideo || type == .pdf
  }

  private static func strippingFolder(_ path: String) -> String {
    path.hasPrefix("./") ? String(path.dropFirst(2)) : path
  }
}
