/// The facts about a session in a foreign file.
package struct SourceFacts: Sendable {
  /// The id of the session in the foreign program.
  package var id: String?
  package var title: String?

  package init(id: String? = nil, title: String? = nil) {
    self.id = id
    self.title = title
  }
}
