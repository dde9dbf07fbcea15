import Foundation

/// Small files as services take and give them.
enum WireFixtures {
  static let image =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

  static let png = Data(base64Encoded: image) ?? Data()

  static let chat = """
    {"model": "m", "messages": [
      {"role": "developer", "content": "Be kind."},
      {"role": "user", "name": "alice", "content": [{"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,\(image)", "detail": "high"}},
        {"type": "input_audio", "input_audio": {"data": "UklGRiQAAABXQVZF", "format": "wav"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0x"}}]},
      {"role": "assistant", "content": "ok", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "draw", "arguments": "{\\"n\\": 1}"}},
        {"id": "c2", "type": "custom", "custom": {"name": "run", "input": "print(1"}}]},
      {"role": "tool", "tool_call_id": "c1", "content": "done"},
      {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "1"}]},
      {"role": "assistant", "content": null, "refusal": "No.", "annotations": [{"type": "url_citation"}]}
    ], "tools": [{"type": "function", "function": {"name": "draw", "parameters": {"type": "object"}}}]}

    """

  static let chatList = #"[{"role":"user","content":"hi"},{"role":"assistant","content":"there"}]"#

  static let responses = """
    {"instructions": "Be kind.", "input": [
      {"role": "user", "content": "draw"},
      {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}], "encrypted_content": "gAAA"},
      {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "draw", "arguments": "{}", "status": "completed"},
      {"type": "function_call", "id": "fc_2", "call_id": "c2", "name": "draw", "arguments": "{\\"n\\":2}", "status": "completed"},
      {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_image", "image_url": "data:image/png;base64,\(image)", "detail": "auto"}]},
      {"type": "function_call_output", "call_id": "c2", "output": "done"},
      {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "\(image)", "output_format": "png", "revised_prompt": "a banana"},
      {"type": "code_interpreter_call", "id": "ci_1", "status": "completed", "code": "print(1)", "container_id": "cn", "outputs": [{"type": "logs", "logs": "1"}]},
      {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [{"type": "output_text", "text": "Here.", "annotations": []}]}
    ], "tools": [{"type": "function", "name": "draw", "parameters": {"type": "object"}}]}
    """

  static let anthropic = """
    {"model": "claude-x", "max_tokens": 9, "system": [{"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}}],
     "messages": [
      {"role": "user", "content": [{"type": "text", "text": "see"}, {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "\(image)"}}]},
      {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}, {"type": "text", "text": "ok"},
        {"type": "tool_use", "id": "t1", "name": "draw", "input": {"n": 1}}, {"type": "tool_use", "id": "t2", "name": "draw", "input": {}}]},
      {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "drawn"}, {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "\(image)"}}]},
        {"type": "tool_result", "tool_use_id": "t2", "is_error": true, "content": "no ink"}, {"type": "text", "text": "and now?"}]},
      {"role": "assistant", "content": [{"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "web_search_result", "url": "https://example.com", "encrypted_content": "EqgB"}]},
        {"type": "text", "text": "Done."}]}
     ], "tools": [{"name": "draw", "input_schema": {"type": "object"}}]}
    """

  static let gemini = """
    {"systemInstruction": {"parts": [{"text": "Be kind."}]}, "contents": [
      {"role": "user", "parts": [{"text": "see"}, {"inlineData": {"mimeType": "image/png", "data": "\(image)"}}, {"fileData": {"fileUri": "gs://bucket/a.pdf"}}]},
      {"role": "model", "parts": [{"text": "hm", "thought": true, "thoughtSignature": "c2ln"}, {"text": "ok"},
        {"functionCall": {"name": "draw", "args": {"n": 1}}, "thoughtSignature": "YWJj"}, {"functionCall": {"name": "draw", "args": {}}}]},
      {"role": "user", "parts": [{"functionResponse": {"name": "draw", "response": {"output": "one"}, "parts": [{"inlineData": {"mimeType": "image/png", "data": "\(image)"}}]}},
        {"functionResponse": {"name": "draw", "response": {"count": 2}}}]},
      {"role": "model", "parts": [{"executableCode": {"language": "PYTHON", "code": "print(1)"}}, {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}, {"text": "Done."}]}
    ], "tools": [{"functionDeclarations": [{"name": "draw", "parameters": {"type": "object"}}]}]}
    """

  static let mcp = """
    [{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "draw", "arguments": {"n": 1}}},
     {"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text", "text": "drawn", "annotations": {"priority": 1}}, {"type": "image", "data": "\(image)", "mimeType": "image/png"},
       {"type": "resource", "resource": {"uri": "mem://a.bin", "blob": "AAEC"}}, {"type": "resource_link", "uri": "https://example.com/a", "name": "a"}],
       "structuredContent": {"n": 1}, "isError": false, "_meta": {"server": "demo"}}}]
    """

  /// Each with the name of its format.
  static let all: [(format: String, text: String)] = [
    ("openai-chat", chat), ("openai-chat", chatList), ("openai-responses", responses),
    ("anthropic", anthropic), ("gemini", gemini), ("mcp", mcp),
  ]
}
