/// Conditions for SQL that is composed.
extension SessionPresence {
  /// People see it.
  static let isShown = "state = \(shown.rawValue)"
  /// A handle finds it: it is shown, or the import that makes it goes on.
  static let isOpen = "state < \(purged.rawValue)"
}
