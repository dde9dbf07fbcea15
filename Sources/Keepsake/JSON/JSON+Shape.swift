import KeepsakeFiles

extension JSON {
  /// The value without insignificant white space; strings and numbers stay as they were written.
  public var minified: JSON {
    let span = bytes.span.bytes
    let reader = JSONReader(valid: span)
    var result: [UInt8] = []
    var run = 0
    var cursor = 0
    while cursor < span.byteCount {
      switch reader.byte(at: cursor) {
      case UInt8(ascii: "\""):
        guard let end = try? reader.endOfString(cursor) else { return self }
        cursor = end
      case 0x20, 0x0A, 0x0D, 0x09:
        result.append(copying: span.extracting(run..<cursor))
        cursor = reader.skipSpace(cursor)
        run = cursor
      default: cursor += 1
      }
    }
    if run == 0 { return self }
    result.append(copying: span.extracting(run..<cursor))
    return JSON(unchecked: result)
  }

  /// The depth of nested arrays and objects; 0 for a string, number, boolean or null.
  ///
  /// Only a value that was built from parts can exceed ``depthLimit``.
  package var depth: Int {
    let reader = JSONReader(valid: bytes.span.bytes)
    var open = 0
    var deepest = 0
    var cursor = 0
    while cursor < bytes.count {
      switch reader.byte(at: cursor) {
      case UInt8(ascii: "\""):
        guard let end = try? reader.endOfString(cursor) else { return deepest }
        cursor = end
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        open += 1
        deepest = max(deepest, open)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): open -= 1
      default: break
      }
      cursor += 1
    }
    return deepest
  }
}
