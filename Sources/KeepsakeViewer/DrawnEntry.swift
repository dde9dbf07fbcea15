import Keepsake

/// An entry as HTML, ready to be put into a page.
package struct DrawnEntry: Sendable, Hashable {
  /// The position of the entry. Its element is an `article` with the id `entry-<position>`.
  package let position: Int
  /// The day of the entry in UTC, such as `2026-11-21`; nil where its time is unknown.
  package let day: String?
  /// The element, as UTF-8.
  package let html: [UInt8]
}
