import KeepsakeFiles
import Keepsake

/// The names of the members of a bundle.
enum BundleName {
  static let manifest = "keepsake.json"
  static let end = "end.json"

  /// The name of a member with records.
  /// - Parameter number: The member's number, counted from 1.
  static func records(_ number: Int) -> String {
    let digits = String(number)
    return "records/" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits + ".json"
  }

  static func artifact(_ id: Artifact.ID) -> String {
    let hex = id.digest.hex
    return "artifacts/\(hex.prefix(2))/\(hex.dropFirst(2))"
  }
}
