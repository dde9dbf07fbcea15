/// An error of the framework that is known only by the names of its type and its case.
///
/// OS 27 throws errors that the SDK of OS 26 does not know, even in a program that was built with that SDK.
struct NamedFailure: Equatable {
  /// The name of the case.
  let name: String
  /// The framework's description of the error.
  let detail: String

  init?(_ error: any Error) {
    guard String(reflecting: type(of: error)).hasPrefix("FoundationModels.") else { return nil }
    let mirror = Mirror(reflecting: error)
    guard mirror.displayStyle == .enum, let payload = mirror.children.first,
      let name = payload.label
    else { return nil }
    self.name = name
    let said = Mirror(reflecting: payload.value).descendant("debugDescription") as? String
    detail = said ?? String(describing: payload.value)
  }
}
