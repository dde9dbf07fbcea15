import Foundation

/// Small files as apps store them that are built with a framework, and as Google AI Studio keeps them.
enum FrameworkFixtures {
  /// Base64 of a picture that is large enough to be cut out of its record.
  static let picture = (WireFixtures.png + Data((0..<600).map { UInt8(truncatingIfNeeded: $0) }))
    .base64EncodedString()

  static let aiSDK = """
    {"id": "chat-1", "title": "Fruit", "messages": [
      {"id": "m1", "role": "user", "metadata": {"createdAt": 1700000000000}, "parts": [
        {"type": "text", "text": "What is it?"},
        {"type": "file", "mediaType": "image/jpg", "filename": "a.png", "url": "data:image/png;base64,\(picture)"},
        {"type": "file", "mediaType": "image/png", "url": "https://example.org/b.png"}]},
      {"id": "m2", "role": "assistant", "metadata": {"model": "large", "totalUsage": {"inputTokens": 9, "outputTokens": 3}}, "parts": [
        {"type": "step-start"},
        {"type": "reasoning", "text": "hm", "state": "done", "providerMetadata": {"anthropic": {"signature": "c2ln"}}},
        {"type": "tool-draw-it", "toolCallId": "c1", "state": "output-available", "input": {"n": 1},
          "output": {"content": [{"type": "text", "text": "done"}, {"type": "image", "data": "\(picture)", "mimeType": "image/png"}]}},
        {"type": "dynamic-tool", "toolName": "look", "toolCallId": "c2", "state": "output-error", "input": {}, "errorText": "boom"},
        {"type": "step-start"},
        {"type": "text", "text": "A banana.", "state": "done"},
        {"type": "data-chart", "id": "d1", "data": {"points": [1, 2]}},
        {"type": "source-url", "sourceId": "s1", "url": "https://example.org"},
        {"type": "tool-ask", "toolCallId": "c3", "state": "approval-requested", "input": {"q": "?"}}]}]}
    """

  static let aiSDK4 = """
    [{"id": "m1", "role": "user", "content": "See", "createdAt": "2026-01-02T03:04:05.678Z",
      "experimental_attachments": [{"name": "a.png", "contentType": "image/png", "url": "data:image/png;base64,\(picture)"}]},
     {"id": "m2", "role": "assistant", "content": "Done.", "reasoning": "hm",
      "toolInvocations": [{"state": "result", "step": 0, "toolCallId": "c1", "toolName": "draw", "args": {"n": 1}, "result": "ok"}]}]
    """

  static let langChain = """
    [{"type": "system", "data": {"content": "Be kind.", "type": "system"}},
     {"type": "human", "data": {"id": "h1", "name": "alice", "content": [{"type": "text", "text": "What is it?"},
       {"type": "image", "base64": "\(picture)", "mime_type": "image/png"},
       {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
       {"type": "image", "source_type": "base64", "data": "\(picture)", "mime_type": "image/png"}]}},
     {"type": "ai", "data": {"id": "a1", "content": [{"type": "reasoning", "reasoning": "hm", "extras": {"signature": "c2ln"}},
       {"type": "text", "text": "I draw."}, {"type": "tool_use", "id": "c1", "name": "draw", "input": {"n": 1}}],
       "tool_calls": [{"name": "draw", "args": {"n": 1}, "id": "c1", "type": "tool_call"}],
       "invalid_tool_calls": [{"name": "look", "args": "{no", "id": "c2", "error": "no JSON"}],
       "usage_metadata": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15, "input_token_details": {"cache_read": 4}},
       "response_metadata": {"model_name": "large"}}},
     {"type": "tool", "data": {"content": [{"type": "text", "text": "done"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,\(picture)"}}],
       "tool_call_id": "c1", "status": "success", "artifact": {"picture": "data:image/png;base64,\(picture)", "n": 1}}},
     {"type": "function", "data": {"content": "no", "name": "look"}},
     {"type": "AIMessageChunk", "data": {"content": "A banana.", "id": "a2"}}]
    """

  static let langChainObjects = """
    {"messages": [
      {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"], "kwargs": {"content": "hi", "type": "human"}},
      {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "AIMessage"], "kwargs": {"content": "there", "type": "ai", "id": "a1"}}]}
    """

  static let aiStudio = """
    {"runSettings": {"model": "models/large", "temperature": 1.0}, "systemInstruction": {"parts": [{"text": "Be kind."}]},
     "chunkedPrompt": {"chunks": [
       {"text": "What is it?", "role": "user", "tokenCount": 4, "createTime": "2026-01-02T03:04:05Z"},
       {"inlineImage": {"mimeType": "image/png", "data": "\(picture)"}, "role": "user"},
       {"driveDocument": {"id": "d-1"}, "role": "user"},
       {"youtubeVideo": {"id": "v-1"}, "role": "user"},
       {"text": "hm", "role": "model", "isThought": true, "tokenCount": 3, "thoughtSignatures": ["", "c2ln"]},
       {"executableCode": {"language": "PYTHON", "code": "print(1)"}, "role": "model"},
       {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}, "role": "model"},
       {"text": "A banana.", "role": "model", "tokenCount": 5, "finishReason": "STOP",
        "parts": [{"text": "A "}, {"text": "banana."}], "branchChildren": [{"promptId": "p-2", "displayName": "other"}]}],
      "pendingInputs": [{"text": "later", "role": "user"}]}}
    """

  /// Each with the name of its format.
  static let all: [(String, String)] = [
    ("ai-sdk", aiSDK), ("ai-sdk", aiSDK4), ("langchain", langChain),
    ("langchain", langChainObjects), ("ai-studio", aiStudio),
    ("adk", AgentsDatabaseTests.document(snake: false)),
    ("adk", AgentsDatabaseTests.document(snake: true)),
  ]
}
