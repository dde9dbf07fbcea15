import Keepsake
import KeepsakeHTTP

/// The OpenAPI document of some endpoints, made of their declarations.
struct Description {
  private let endpoints: [Endpoint]

  init(_ endpoints: [Endpoint]) { self.endpoints = endpoints.filter(\.isForPrograms) }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.fixed("openapi", "3.1.0")
    writer.key("info")
    writer.beginObject()
    writer.fixed("title", "Keepsake")
    writer.fixed("version", "1")
    writer.fixed("description", "Conversations with language models, and the artifacts in them.")
    writer.endObject()
    writer.key("security")
    writer.array([0]) { _, writer in
      writer.beginObject()
      writer.key("token")
      writer.beginArray()
      writer.endArray()
      writer.endObject()
    }
    writer.key("paths")
    writer.beginObject()
    for path in paths {
      writer.key(escaping: path)
      writer.beginObject()
      for endpoint in endpoints where endpoint.path.description == path {
        operation(endpoint, to: &writer)
      }
      writer.endObject()
    }
    writer.endObject()
    components(to: &writer)
    writer.endObject()
  }

  /// The paths in the order of the routes.
  private var paths: [String] {
    var paths: [String] = []
    for endpoint in endpoints where !paths.contains(endpoint.path.description) {
      paths.append(endpoint.path.description)
    }
    return paths
  }

  private func operation(_ endpoint: Endpoint, to writer: inout JSONWriter) {
    writer.key(escaping: endpoint.method.rawValue.lowercased())
    writer.beginObject()
    writer.fixed("operationId", endpoint.identifier)
    writer.fixed("summary", endpoint.summary.description)
    writer.key("parameters")
    writer.beginArray()
    for part in endpoint.path.parts {
      guard case .named(let name) = part else { continue }
      parameter(name, "path", about: nil, isRequired: true, to: &writer) {
        Shape.named(part: name).write(to: &$0)
      }
    }
    for (items, place) in [(endpoint.query, "query"), (endpoint.fields, "header")] {
      for item in items {
        parameter(
          item.name.description, place, about: item.about.description, isRequired: false,
          to: &writer
        ) { item.kind.writeSchema(to: &$0) }
      }
    }
    writer.endArray()
    body(endpoint.body, to: &writer)
    writer.key("responses")
    writer.beginObject()
    answer(endpoint, to: &writer)
    writer.key("default")
    content("application/problem+json", .problem, "What failed, and what to do", to: &writer)
    writer.endObject()
    writer.endObject()
  }

  private func parameter(
    _ name: String, _ place: String, about: String?, isRequired: Bool,
    to writer: inout JSONWriter, schema: (inout JSONWriter) -> Void
  ) {
    writer.beginObject()
    writer.fixed("name", name)
    writer.fixed("in", place)
    writer.member("description", about)
    writer.flag("required", isRequired)
    writer.key("schema")
    schema(&writer)
    writer.endObject()
  }

  private func body(_ body: Endpoint.Body, to writer: inout JSONWriter) {
    let type: String
    let shape: Shape
    switch body {
    case .none, .message: return
    case .json(let given, _): (type, shape) = ("application/json", given)
    case .bytes: (type, shape) = ("application/octet-stream", .formatted("binary"))
    }
    writer.key("requestBody")
    writer.beginObject()
    writer.flag("required", true)
    writer.key("content")
    media(type, shape, to: &writer)
    writer.endObject()
  }

  private func answer(_ endpoint: Endpoint, to writer: inout JSONWriter) {
    switch endpoint.answer {
    case .json(let shape):
      writer.key(endpoint.method == .post ? "2XX" : "200")
      content("application/json", shape, endpoint.summary.description, to: &writer)
    case .nothing:
      writer.key("2XX")
      writer.beginObject()
      writer.fixed("description", endpoint.summary.description)
      writer.endObject()
    case .events:
      writer.key("200")
      content("text/event-stream", .string, endpoint.summary.description, to: &writer)
    case .file, .page:
      writer.key("2XX")
      content(
        "application/octet-stream", .formatted("binary"), endpoint.summary.description, to: &writer)
    }
  }

  private func content(_ type: String, _ shape: Shape, _ about: String, to writer: inout JSONWriter)
  {
    writer.beginObject()
    writer.fixed("description", about)
    writer.key("content")
    media(type, shape, to: &writer)
    writer.endObject()
  }

  private func media(_ type: String, _ shape: Shape, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key(escaping: type)
    writer.beginObject()
    writer.key("schema")
    shape.write(to: &writer)
    writer.endObject()
    writer.endObject()
  }

  private func components(to writer: inout JSONWriter) {
    var named: [(String, Shape)] = []
    for endpoint in endpoints {
      if case .json(let shape) = endpoint.answer { shape.collect(into: &named) }
      if case .json(let shape, _) = endpoint.body { shape.collect(into: &named) }
    }
    Shape.problem.collect(into: &named)
    writer.key("components")
    writer.beginObject()
    writer.key("schemas")
    writer.beginObject()
    for (name, shape) in named {
      writer.key(escaping: name)
      shape.write(to: &writer)
    }
    writer.endObject()
    writer.key("securitySchemes")
    writer.beginObject()
    writer.key("token")
    writer.beginObject()
    writer.fixed("type", "http")
    writer.fixed("scheme", "bearer")
    writer.endObject()
    writer.endObject()
    writer.endObject()
  }
}
