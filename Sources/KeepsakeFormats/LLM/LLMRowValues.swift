import Keepsake

// Values in the rows of llm's log database.

extension JSONObject {
  /// The JSON that a column holds as text; nil where the text is no JSON.
  func embedded(_ column: String) -> JSON? {
    string(column).flatMap { try? JSON(validating: $0) }
  }

  /// The model that wrote an answer: the resolved one where it is known, else the name that was asked for.
  var llmModel: String? { string("resolved_model") ?? string("model") }

  // llm stores Chat Completions' names of details, and the counts beside them have the Responses API's names.
  private static var detailNames: [String: String] {
    [
      "prompt_tokens_details": "input_tokens_details",
      "completion_tokens_details": "output_tokens_details",
    ]
  }

  /// The usage of an answer: its counts of tokens, and the details that the service reported.
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
  /// Attaches a row of the table of attachments: its bytes, its URL or its path. No URL and no path is opened.
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

  /// Attaches the rows that the elements of an array refer to.
  mutating func attach(llm links: [Range<Int>], madeBy maker: Entry.MadeBy) -> [Entry.Segment] {
    links.map { link in
      let row = JSONObject(link, in: bytes)
      return .init(attach(llm: row?.object("attachment"), madeBy: maker))
    }
  }
}
