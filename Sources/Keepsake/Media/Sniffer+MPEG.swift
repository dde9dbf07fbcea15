/// Sniffing of MPEG streams, whose signatures are a few bits, so that a second frame has to confirm the first.
extension Sniffer {
  func mpeg() -> MediaType? {
    if let type = taggedAudio() { return type }
    if let length = mp3FrameLength(at: 0), isConfirmed(length, mp3FrameLength) { return .mp3 }
    if let length = aacFrameLength(at: 0), isConfirmed(length, aacFrameLength) { return .aac }
    if has([0x00, 0x00, 0x01, 0xBA]) || has([0x00, 0x00, 0x01, 0xB3]), bytes.count >= 12 {
      return "video/mpeg"
    }
    if isTransportStream { return "video/mp2t" }
    return nil
  }

  /// Determines the type of audio with an ID3 tag, which is nearly always MP3, unless the bytes after the tag show another.
  private func taggedAudio() -> MediaType? {
    guard has("ID3"), bytes.count >= 10, 2...4 ~= bytes[3], bytes[4] != 0xFF,
      bytes[6..<10].allSatisfy({ $0 < 0x80 })
    else { return nil }
    let length = bytes[6..<10].reduce(0) { $0 << 7 | Int($1) }
    let hasFooter = bytes[5] & 0x10 != 0
    let next = 10 + length + (hasFooter ? 10 : 0)
    if has("fLaC", at: next) { return .flac }
    if mp3FrameLength(at: next) == nil, aacFrameLength(at: next) != nil { return .aac }
    return .mp3
  }

  /// Returns whether another frame, or the end of the file, follows a first frame of the given length.
  private func isConfirmed(_ length: Int, _ frameLength: (Int) -> Int?) -> Bool {
    // The upper bits of a frame's second byte (version and layer) are the same in the whole stream.
    frameLength(length) != nil && bytes[length + 1] & 0xFE == bytes[1] & 0xFE
      || Int64(length) == size
  }

  private func mp3FrameLength(at offset: Int) -> Int? {
    guard let header = bigEndian(at: offset, count: 4), header >> 21 == 0x7FF else { return nil }
    let version = Int(header >> 19 & 3)
    let layer = 4 - Int(header >> 17 & 3)
    let rateIndex = Int(header >> 10 & 3)
    let bitIndex = Int(header >> 12 & 15)
    // These are reserved values, and "free" bit rates, whose frames have no length that could be checked.
    guard version != 1, layer != 4, rateIndex != 3, bitIndex != 0, bitIndex != 15,
      header & 3 != 2
    else { return nil }
    let isFirstVersion = version == 3
    let sampleRate = [44_100, 48_000, 32_000][rateIndex] >> [2, 0, 1, 0][version]
    let table = isFirstVersion ? layer - 1 : (layer == 1 ? 3 : 4)
    let bitRate = Self.bitRates[table][bitIndex - 1] * 1000
    let padding = Int(header >> 9 & 1)
    switch layer {
    case 1: return (12 * bitRate / sampleRate + padding) * 4
    case 3 where !isFirstVersion: return 72 * bitRate / sampleRate + padding
    default: return 144 * bitRate / sampleRate + padding
    }
  }

  /// The bit rates in kilobits per second: layers I, II, III of MPEG-1, layer I of MPEG-2, layers II and III of MPEG-2.
  private static let bitRates: [[Int]] = [
    [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ]

  /// Returns the length of an ADTS frame, whose sync word has layer 0, which MP3 never has; nil if there is none.
  private func aacFrameLength(at offset: Int) -> Int? {
    guard let start = bigEndian(at: offset, count: 4), start >> 20 == 0xFFF, start >> 17 & 3 == 0,
      start >> 10 & 15 < 13, let middle = bigEndian(at: offset + 3, count: 3)
    else { return nil }
    let length = Int(middle >> 5 & 0x1FFF)
    return length > 7 ? length : nil
  }

  /// Whether the bytes are packets of 188 bytes that each begin with a sync byte.
  private var isTransportStream: Bool {
    bytes.count > 188 * 4
      && stride(from: 0, through: 188 * 4, by: 188).allSatisfy { bytes[$0] == 0x47 }
  }
}
