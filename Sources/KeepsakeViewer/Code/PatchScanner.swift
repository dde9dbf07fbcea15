/// Takes a patch apart, line by line.
enum PatchScanner {
  static func forEach(in bytes: [UInt8], _ body: (ArraySlice<UInt8>, CodeToken?) -> Void) {
    var start = 0
    var count = 0
    while start < bytes.count {
      var end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      let token = count < CodeScanner.tokenLimit ? token(of: bytes[start..<end]) : nil
      if token != nil { count += 1 }
      // Lines of a kind are one piece, with the breaks between them.
      while end < bytes.count {
        let next = end + 1
        let nextEnd =
          next < bytes.count
          ? bytes[next...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count : bytes.count
        guard next < bytes.count, Self.token(of: bytes[next..<nextEnd]) == token else { break }
        end = nextEnd
      }
      body(bytes[start..<end], token)
      if end < bytes.count { body(bytes[end...end], nil) }
      start = end + 1
    }
  }

  private static func token(of line: ArraySlice<UInt8>) -> CodeToken? {
    let heads = ["+++ ", "--- ", "@@", "diff ", "index ", "*** "]
    if heads.contains(where: { line.starts(with: $0.utf8) }) { return .place }
    return switch line.first {
    case UInt8(ascii: "+"): .added
    case UInt8(ascii: "-"): .removed
    default: nil
    }
  }
}
