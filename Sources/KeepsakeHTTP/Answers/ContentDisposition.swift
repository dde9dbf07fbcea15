/// The field `Content-Disposition`, with a name for the file that a browser saves (RFC 6266 and 8187).
package enum ContentDisposition {
  /// The value that has a browser save the content under a name.
  package static func attachment(fileName: String) -> String { value("attachment", fileName) }

  /// The value that has a browser show the content, and save it under a name when asked.
  package static func inline(fileName: String) -> String { value("inline", fileName) }

  private static func value(_ kind: String, _ fileName: String) -> String {
    let name = safeName(fileName)
    let plain = String(
      decoding: name.utf8.map { $0 < 0x7F && $0 != 0x22 && $0 != 0x5C && $0 != 0x25 ? $0 : 0x5F },
      as: UTF8.self)
    let text = "\(kind); filename=\"\(plain)\""
    return plain == name ? text : text + "; filename*=UTF-8''\(encoded(name))"
  }

  /// A name that is safe to save under: the last part of a path, without controls, signs that hide or turn text, a dot
  /// in front, or a name that Windows keeps for devices; and not longer than 150 bytes.
  static func safeName(_ fileName: String) -> String {
    let last = fileName.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
    var name = String(String.UnicodeScalarView(last.unicodeScalars.filter(isShown)))
    while let first = name.first, first == "." || first == " " { name.removeFirst() }
    while let last = name.last, last == "." || last == " " { name.removeLast() }
    if name.utf8.count > 150 { name = shortened(name) }
    if name.isEmpty { return "file" }
    let stem = name.prefix { $0 != "." }.uppercased()
    return devices.contains(stem) ? "_" + name : name
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
    default: !"<>:\"|?*;".unicodeScalars.contains(scalar)
    }
  }

  /// The beginning of a name, with its extension where that is short.
  private static func shortened(_ name: String) -> String {
    var ending = ""
    if let dot = name.lastIndex(of: "."), name[dot...].utf8.count <= 16 {
      ending = String(name[dot...])
    }
    var stem = ""
    var size = ending.utf8.count
    for scalar in name.dropLast(ending.count).unicodeScalars {
      size += scalar.utf8.count
      if size > 150 { break }
      stem.unicodeScalars.append(scalar)
    }
    return stem + ending
  }

  private static func encoded(_ name: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in name.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
      default: bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let devices: Set<String> = {
    let numbered = (0...9).flatMap { ["COM\($0)", "LPT\($0)"] }
    return Set(numbered + ["CON", "PRN", "AUX", "NUL"])
  }()
}
