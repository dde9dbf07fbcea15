/// Properties of a byte of ASCII text.
extension UInt8 {
  /// Whether the byte is a space, tab, line feed or carriage return.
  var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }

  var isASCIIDigit: Bool { self &- 0x30 < 10 }

  var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

  /// The value of the byte as a hexadecimal digit; nil for other bytes.
  var hexValue: UInt8? {
    if isASCIIDigit { return self - UInt8(ascii: "0") }
    let lower = asciiLowercased
    return lower &- UInt8(ascii: "a") < 6 ? lower - UInt8(ascii: "a") + 10 : nil
  }
}
