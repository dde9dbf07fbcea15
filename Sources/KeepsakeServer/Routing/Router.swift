import KeepsakeHTTP

/// Finds the route that a request is for.
struct Router: Sendable {
  private let routes: [any Route]

  init(_ routes: [any Route]) {
    // A fixed segment takes precedence over a named one, whatever the order of the list.
    self.routes = routes.sorted { $0.endpoint.path.weight > $1.endpoint.path.weight }
  }

  /// The route for a method and a path, with the texts of the path's named segments.
  ///
  /// - Throws: A ``Problem`` if there is nothing at the path, or nothing that takes the method.
  func route(_ method: HTTPMethod, _ path: [String]) throws(Problem) -> (
    any Route, [String: String]
  ) {
    var others: [HTTPMethod] = []
    for route in routes {
      guard let values = route.endpoint.path.values(in: path) else { continue }
      if route.endpoint.method == method { return (route, values) }
      others.append(route.endpoint.method)
    }
    guard !others.isEmpty else { throw .notFound() }
    let names = others.map(\.rawValue) + (others.contains(.get) ? ["HEAD"] : [])
    let allowed = names.sorted().joined(separator: ", ")
    throw Problem(
      status: 405, code: "method-not-allowed",
      detail: "This address takes no \(method.rawValue). It takes \(allowed).",
      fields: ["Allow": allowed])
  }
}
