/// The kinds of pieces of code that a page sets apart by colour.
enum CodeToken: Sendable, Hashable {
  case comment, string, number, keyword
  /// A type, or the name of an element of HTML.
  case name
  /// A key, a property, an attribute or a variable.
  case key
  /// A line of a patch that is new, one that is gone, or one that says where.
  case added, removed, place

  /// The class of the token's element in the style sheet.
  var cssClass: String {
    switch self {
    case .comment: "c"
    case .string: "s"
    case .number: "n"
    case .keyword: "k"
    case .name: "t"
    case .key: "a"
    case .added: "p"
    case .removed: "m"
    case .place: "h"
    }
  }
}
