/// The path and the query of a request's target, percent-decoded once.
struct RequestTarget {
  let path: [String]
  let query: [HTTPRequestHead.QueryItem]

  init(_ target: ArraySlice<UInt8>) throws(HTTPRefusal) {
    // Also refuses the forms that proxies get (`http://…`, `host:port`), and `*`.
    guard target.first == 0x2F else {
      throw HTTPRefusal(.badRequest, "The address does not begin with a slash.")
    }
    for byte in target
    where byte <= 0x20 || byte >= 0x7F || [0x22, 0x23, 0x3C, 0x3E].contains(byte) {
      throw HTTPRefusal(.badRequest, "The address has a character that has to be encoded.")
    }
    let question = target.firstIndex(of: 0x3F)
    path = try Self.path(target[..<(question ?? target.endIndex)].dropFirst())
    query =
      try question.map { at throws(HTTPRefusal) in
        try Self.query(target[(at + 1)...])
      } ?? []
  }

  private static func path(_ text: ArraySlice<UInt8>) throws(HTTPRefusal) -> [String] {
    if text.isEmpty { return [] }
    var path: [String] = []
    for part in text.split(separator: 0x2F, omittingEmptySubsequences: false) {
      let segment = try decoded(part, plusIsSpace: false)
      if segment == "." || segment == ".." || segment.utf8.contains(0x2F) {
        throw HTTPRefusal(.badRequest, "The address has a dot segment or an encoded slash in it.")
      }
      path.append(segment)
    }
    return path
  }

  private static func query(
    _ text: ArraySlice<UInt8>
  ) throws(HTTPRefusal) -> [HTTPRequestHead.QueryItem] {
    var query: [HTTPRequestHead.QueryItem] = []
    for part in text.split(separator: 0x26) {
      let equals = part.firstIndex(of: 0x3D)
      let name = try decoded(part[..<(equals ?? part.endIndex)], plusIsSpace: true)
      let value = try decoded(
        equals.map { part[($0 + 1)...] } ?? part[part.endIndex...], plusIsSpace: true)
      query.append(HTTPRequestHead.QueryItem(name: name, value: value))
    }
    return query
  }

  /// Decodes once; refuses what is no UTF-8, and NUL.
  private static func decoded(
    _ text: ArraySlice<UInt8>, plusIsSpace: Bool
  ) throws(HTTPRefusal) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text[index]
      index += 1
      switch byte {
      case 0x25:
        guard index + 1 < text.endIndex, let high = digit(text[index]),
          let low = digit(text[index + 1]), high << 4 | low != 0
        else {
          throw HTTPRefusal(.badRequest, "The address has a percent sign that encodes nothing.")
        }
        bytes.append(high << 4 | low)
        index += 2
      case 0x2B where plusIsSpace: bytes.append(0x20)
      default: bytes.append(byte)
      }
    }
    guard let result = String(validating: bytes, as: UTF8.self) else {
      throw HTTPRefusal(.badRequest, "The address is no UTF-8.")
    }
    return result
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
