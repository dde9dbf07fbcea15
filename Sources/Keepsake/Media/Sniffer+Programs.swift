/// Sniffing of programs and fonts whose signature is also a word or a likely number.
extension Sniffer {
  func program() -> MediaType? {
    if has([0xCA, 0xFE, 0xBA, 0xBE]), let number = bigEndian(at: 4, count: 4) {
      // The number is a universal binary's count of architectures, or the version of a Java class, which is at least 45.
      return number > 0 && number < 45 ? "application/x-mach-binary" : "application/java-vm"
    }
    if has("MZ"), let header = littleEndian(at: 60, count: 4), header >= 64, header < size {
      let isOutside = header > Int64(bytes.count) - 4
      if isOutside || has([0x50, 0x45, 0, 0], at: Int(header)) {
        return "application/vnd.microsoft.portable-executable"
      }
    }
    if has([0x00, 0x01, 0x00, 0x00]) || has("true"), isFontTable { return "font/ttf" }
    if has("OTTO"), isFontTable { return "font/otf" }
    return nil
  }

  /// Whether a font's table directory follows: a count, and a first tag of printable characters.
  private var isFontTable: Bool {
    guard let count = bigEndian(at: 4, count: 2), 1...128 ~= count, bytes.count >= 28 else {
      return false
    }
    return bytes[12..<16].allSatisfy { 0x20...0x7E ~= $0 }
  }
}
