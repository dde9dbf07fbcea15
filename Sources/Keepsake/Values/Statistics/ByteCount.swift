/// Formats sizes for people.
package enum ByteCount {
  /// Returns a size such as `27.8 KB`; a KB has 1,000 bytes, as in file managers.
  package static func text(_ bytes: Int64) -> String {
    if bytes < 1000 { return "\(bytes) B" }
    var value = Double(bytes)
    var unit = ""
    for next in ["KB", "MB", "GB", "TB"] {
      // The rounded value decides, because 999.95 would be shown as 1000.0.
      if value < 999.5, !unit.isEmpty { break }
      value /= 1000
      unit = next
    }
    let tenths = Int((value * 10).rounded())
    return tenths < 100
      ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(Int(value.rounded())) \(unit)"
  }
}
