/// The tables of schema 10, for tests that make a store what it was before.
enum HubTables {
  /// The statements that drop them.
  static let drop = [
    "joined", "hub_session", "offer", "unsent", "unsent_session", "unsent_removal",
    "unsent_artifact",
  ].map { "DROP TABLE \($0);" }.joined(separator: "\n")
}
