/// The options of a rescue.
package struct RescueOptions: Sendable {
  /// Limits of the service that differ from the usual ones, by name.
  package var limits: [String: Int] = [:]
  /// The new folder of the conversation; nil where it stays in its folder.
  package var folder: String?
  /// Whether all thinking is removed, for example because it was made for an account that is no longer used.
  package var stripsThinking = false
  /// Whether the images and documents that become labels are kept in a store.
  package var isKept = false

  package init() {}
}
