/// Distinguishes a table (CSV, TSV) from text with commas.
struct TableSniffer {
  let text: ArraySlice<UInt8>
  let isWhole: Bool

  func mediaType() -> MediaType? {
    if isTable(separator: 0x09) { return "text/tab-separated-values" }
    if isTable(separator: UInt8(ascii: ",")) || isTable(separator: UInt8(ascii: ";")) {
      return .csv
    }
    return nil
  }

  /// Returns whether the text is a table with a separator, and not prose.
  ///
  /// A table has at least three records with the same number of fields (five records if there are only two fields), a header of
  /// distinct, short names, and no separator with a space after it.
  private func isTable(separator: UInt8) -> Bool {
    guard var records = records(separator: separator) else { return false }
    if !isWhole { records = records.dropLast() }
    while let last = records.last, last.count == 1, last[0].isEmpty { records.removeLast() }
    guard let header = records.first, header.count >= 2,
      records.count >= (header.count == 2 ? 5 : 3),
      records.allSatisfy({ $0.count == header.count })
    else { return false }
    return Set(header).count == header.count
      && header.allSatisfy { !$0.isEmpty && $0.count <= 64 }
      && records.joined().allSatisfy { $0.first != 0x20 }
  }

  /// Returns the fields of each record; nil if a quote is where none may be.
  private func records(separator: UInt8) -> ArraySlice<[ArraySlice<UInt8>]>? {
    var records: [[ArraySlice<UInt8>]] = []
    var fields: [ArraySlice<UInt8>] = []
    var start = text.startIndex
    var isQuoted = false
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text[index]
      if byte == UInt8(ascii: "\"") {
        // An opening quote begins a field. A doubled quote closes and opens the field again.
        let opens = index == start || text[index - 1] == UInt8(ascii: "\"")
        guard isQuoted || opens else { return nil }
        isQuoted.toggle()
      } else if !isQuoted, byte == separator || byte == 0x0A {
        let end = byte == 0x0A && index > start && text[index - 1] == 0x0D ? index - 1 : index
        fields.append(text[start..<end])
        start = index + 1
        if byte == 0x0A {
          records.append(fields)
          fields = []
        }
      }
      index += 1
    }
    if isQuoted && isWhole { return nil }
    if start < text.endIndex || !fields.isEmpty { records.append(fields + [text[start...]]) }
    return records[...]
  }
}
