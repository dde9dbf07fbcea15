/// The size of an artifact as people read it.
enum ByteSize {
  /// Returns a size such as `1.3 MB`.
  static func text(_ bytes: Int64) -> String {
    var value = Double(bytes)
    var unit = "B"
    for larger in ["kB", "MB", "GB", "TB"] where value >= 999.5 {
      value /= 1000
      unit = larger
    }
    guard unit != "B", value < 9.95 else { return "\(Int(value.rounded())) \(unit)" }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(unit)"
  }
}
