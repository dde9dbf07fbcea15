import Keepsake

// What rows of a log database say.

extension JSONObject {
  /// A column that holds JSON, as a value; nil where it holds none.
  func embedded(_ column: String) -> JSON? {
    string(column).flatMap { try? JSON(validating: $0) }
  }

  /// Which model wrote an answer: the one that stood behind its name, where that is known.
  var llmModel: String? { string("resolved_model") ?? string("model") }

  /// The details of OpenAI's Chat Completions, and what the Responses, whose counts these are, call them.
  private static var detailNames: [String: String] {
    [
      "prompt_tokens_details": "input_tokens_details",
      "completion_tokens_details": "output_tokens_details",
    ]
  }

  /// What an answer took: the counts, and the service's details in its own words.
  var llmUsage: Usage? {
    var members = ["input_tokens", "output_tokens"].compactMap { name in
      json(name).map { (name, $0) }
    }
    if members.isEmpty { return nil }
    for (key, value) in embedded("token_details")?.members ?? [] {
      let name = Self.detailNames[key] ?? key
      if !members.contains(where: { $0.0 == name }) { members.append((name, value)) }
    }
    return Usage(reported: .object(members))
  }
}

extension RecordReader {
  /// Attaches what a row of attachments says: bytes, a URL or a path, neither of which is opened.
  mutating func attach(llm row: JSONObject?, madeBy maker: Entry.MadeBy) -> Entry.Segment.Content {
    let mediaType = row?.string("type").map { MediaType($0) }
    let path = row?.string("path")
    if let content = row?.object("content")?["base64"] {
      let name = path?.split(separator: "/").last.map(String.init)
      let inside = (content.lowerBound + 1)..<(content.upperBound - 1)
      if let attached = attach(
        base64: inside, mediaType: mediaType, label: nil, fileName: name, madeBy: maker)
      {
        return attached
      }
    }
    if let url = row?.string("url") {
      return attach(remote: url, mediaType: mediaType, madeBy: maker)
    }
    return attach(
      missing: path ?? row?.string("id"), mediaType: mediaType, madeBy: maker)
  }

  /// Attaches what the elements of an array of a row refer to.
  mutating func attach(llm links: [Range<Int>], madeBy maker: Entry.MadeBy) -> [Entry.Segment] {
    links.map { link in
      let row = JSONObject(link, in: bytes)
      return .init(attach(llm: row?.object("attachment"), madeBy: maker))
    }
  }
}
