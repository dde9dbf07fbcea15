/// Sniffing of containers for sound and moving images.
extension Sniffer {
  func riffOrForm() -> MediaType? {
    if has("RIFF") || has("RF64") || has("BW64") {
      if has("WAVE", at: 8) { return .wav }
      if has("WEBP", at: 8) { return .webp }
      if has("AVI ", at: 8) { return "video/vnd.avi" }
    }
    if has("FORM"), has("AIFF", at: 8) || has("AIFC", at: 8) { return "audio/aiff" }
    return nil
  }

  /// Determines the type of a file in the family of MP4 and HEIC from the brands in its `ftyp` box.
  func isoMedia() -> MediaType? {
    guard has("ftyp", at: 4) else { return oldQuickTime() }
    guard let length = bigEndian(at: 0, count: 4), length >= 16, length % 4 == 0, bytes.count >= 12
    else { return nil }
    let end = min(Int(min(length, Int64(bytes.count))), 256)
    // The major brand is at offset 8, its version at 12, and the compatible brands from 16 on.
    let brands = [8] + stride(from: 16, through: end - 4, by: 4)
    if let type = brand(at: 8) { return type }
    // A general major brand (mif1, isom) leaves the decision to the compatible brands.
    if has("mif1", at: 8) || has("msf1", at: 8) || has("miaf", at: 8) {
      let image = brands.lazy.compactMap { brand(at: $0) }.first { $0.isImage }
      return image ?? (has("msf1", at: 8) ? "image/heif-sequence" : "image/heif")
    }
    return .mp4
  }

  private func brand(at offset: Int) -> MediaType? {
    guard offset + 4 <= bytes.count else { return nil }
    switch String(decoding: bytes[offset..<offset + 4], as: UTF8.self) {
    case "heic", "heix", "heim", "heis": return .heic
    case "hevc", "hevx", "hevm", "hevs": return "image/heic-sequence"
    case "avif", "avis": return .avif
    case "M4A ", "M4B ", "M4P ", "F4A ", "F4B ": return .m4a
    case "M4V ", "M4VP", "M4VH": return "video/x-m4v"
    case "qt  ": return .quickTime
    case "3ge6", "3ge7", "3gg6", "3gp4", "3gp5", "3gp6", "3gp7", "3gr6", "3gs6", "3gs7":
      return "video/3gpp"
    case "3g2a", "3g2b", "3g2c": return "video/3gpp2"
    case "crx ": return "image/x-canon-cr3"
    default: return nil
    }
  }

  /// Recognizes QuickTime files from before `ftyp`, which begin with one of a few boxes of a plausible length.
  private func oldQuickTime() -> MediaType? {
    guard let length = bigEndian(at: 0, count: 4), length >= 8, length <= size else { return nil }
    if has("moov", at: 4), has("mvhd", at: 12) || has("cmov", at: 12) { return .quickTime }
    if has("wide", at: 4), has("mdat", at: 12) { return .quickTime }
    if has("mdat", at: 4) || has("pnot", at: 4), let next = Int(exactly: length) {
      return length == size || next > bytes.count - 8 || has("moov", at: next + 4)
        ? .quickTime : nil
    }
    return nil
  }

  /// Distinguishes Matroska and WebM by the `DocType` in the EBML header.
  func matroska() -> MediaType? {
    guard has([0x1A, 0x45, 0xDF, 0xA3]) else { return nil }
    guard let header = ebmlLength(at: 4) else { return nil }
    var offset = 4 + header.width
    let end = min(Int64(bytes.count), Int64(offset) + header.value)
    while offset < end {
      let isDocType = has([0x42, 0x82], at: offset)
      // Identifiers keep their length marker, whose leading zeros tell the width.
      let identifierWidth = bytes[offset].leadingZeroBitCount + 1
      guard let element = ebmlLength(at: offset + identifierWidth),
        element.value < Int64(bytes.count)
      else { return nil }
      let content = offset + identifierWidth + element.width
      if isDocType {
        if has("webm", at: content), element.value == 4 { return .webm }
        return has("matroska", at: content) ? "video/matroska" : nil
      }
      offset = content + Int(element.value)
    }
    return nil
  }

  /// Reads a number of variable width, as EBML writes lengths; nil if it is cut off.
  private func ebmlLength(at offset: Int) -> (value: Int64, width: Int)? {
    guard offset < bytes.count, bytes[offset] != 0 else { return nil }
    let width = bytes[offset].leadingZeroBitCount + 1
    guard offset + width <= bytes.count else { return nil }
    let first = width == 8 ? 0 : Int64(bytes[offset] & (0xFF >> width))
    let value = bytes[offset + 1..<offset + width].reduce(first) { $0 << 8 | Int64($1) }
    return (value, width)
  }

  /// Determines the type of an Ogg file from the codec in the first packet.
  func ogg() -> MediaType? {
    guard has("OggS"), bytes.count > 26, bytes[4] == 0 else { return nil }
    let packet = 27 + Int(bytes[26])
    if has("OpusHead", at: packet) || has("\u{1}vorbis", at: packet)
      || has("Speex   ", at: packet) || has("\u{7F}FLAC", at: packet)
    {
      return .ogg
    }
    if has([0x80], at: packet), has("theora", at: packet + 1) { return "video/ogg" }
    return "application/ogg"
  }
}
