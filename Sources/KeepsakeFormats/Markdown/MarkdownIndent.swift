/// The indentation of a line, and the rest of the line after it.
struct MarkdownIndent {
  /// The column of the first byte that is no blank. A tab advances to the next multiple of four.
  private(set) var column = 0
  let rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>, from column: Int = 0) {
    self.column = column
    var index = bytes.startIndex
    while index < bytes.endIndex, bytes[index].isMarkdownSpace {
      self.column += bytes[index] == 0x09 ? 4 - self.column % 4 : 1
      index += 1
    }
    rest = bytes[index...]
  }

  var isBlank: Bool { rest.isEmpty }
}
