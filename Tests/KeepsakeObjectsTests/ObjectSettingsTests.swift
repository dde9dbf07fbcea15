import Foundation
import Keepsake
import Testing

@testable import KeepsakeObjects

/// Addresses, keys and servers, as the environment and the usual files say them.
@Suite final class `Where an object store is, and with which keys` {
  private let home: URL

  init() throws {
    home = FileManager.default.temporaryDirectory.appending(path: "aws-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: home.appending(path: ".aws"), withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: home) }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: home.appending(path: ".aws/\(name)"))
  }

  private func settings(_ environment: [String: String]) -> ObjectSettings {
    ObjectSettings(environment: environment, home: home.path)
  }

  @Test func `addresses are read, and say no secret`() throws {
    let plain = try ObjectAddress("s3://my-bucket.1/a b/ü/")
    #expect((plain.bucket, plain.prefix) == ("my-bucket.1", "a b/ü/"))
    #expect("\(plain)" == "s3://my-bucket.1/a b/ü")
    #expect(try ObjectAddress("s3://bucket").prefix == "")
    #expect(try ObjectAddress("s3://bucket/").prefix == "")
    for wrong in [
      "", "bucket", "s3://", "s3://a", "s3://key:sesame@bucket/x", "s3://Bucket", "s3://bucket//x",
      "s3://bucket/../sesame", "s3://bucket/a\u{1}", "https://sesame",
      "s3://bucket/" + String(repeating: "x", count: 600),
    ] {
      let error = #expect(throws: KeepsakeError.self) { try ObjectAddress(wrong) }
      #expect(error?.code == .invalid)
      #expect(error?.message.contains("sesame") == false)
    }
    for wrong in ["", "ftp://x", "http://", "http://user:sesame@host", "http://host/sesame"] {
      let error = #expect(throws: KeepsakeError.self) { try ObjectEndpoint(url: wrong) }
      #expect(error?.code == .invalid)
      #expect(error?.message.contains("sesame") == false)
    }
    #expect(try ObjectEndpoint(url: "HTTPS://Host:443/").authority == "host")
    #expect(try ObjectEndpoint(url: "http://[::1]:9000").authority == "[::1]:9000")
  }

  @Test func `keys come from the environment, then from the files`() throws {
    try write(
      """
      # a comment
      [default]
      aws_access_key_id = ONE
      aws_secret_access_key=sesame1
      [work]
      aws_access_key_id=TWO
      aws_secret_access_key = sesame2
      aws_session_token = sesame3
      """, to: "credentials")
    try write(
      """
      [default]
      region = eu-west-1
      s3 =
        endpoint_url = http://nested
      [profile work]
      region=eu-central-1
      endpoint_url = http://box:9000
      [profile signed-in]
      sso_session = sesame
      """, to: "config")
    let first = ["AWS_ACCESS_KEY_ID": "E", "AWS_SECRET_ACCESS_KEY": "S", "AWS_SESSION_TOKEN": "T"]
    #expect(
      try settings(first).credentials()
        == ObjectCredentials(keyID: "E", secret: "S", token: "T"))
    #expect(try settings([:]).credentials() == ObjectCredentials(keyID: "ONE", secret: "sesame1"))
    let work = settings(["AWS_PROFILE": "work"])
    #expect(
      try work.credentials() == ObjectCredentials(keyID: "TWO", secret: "sesame2", token: "sesame3")
    )
    #expect(try work.region() == "eu-central-1")
    #expect(try work.endpoint(of: "b", region: "r").authority == "box:9000")
    #expect(try settings([:]).region() == "eu-west-1")
    #expect(
      try settings([:]).endpoint(of: "buck", region: "eu-west-1").authority
        == "buck.s3.eu-west-1.amazonaws.com")
    let dotted = try settings([:]).endpoint(of: "a.b", region: "eu-west-1")
    #expect(dotted.path(bucket: "a.b", key: "x/ y") == "/a.b/x/%20y")
    for profile in ["signed-in", "nobody"] {
      let error = #expect(throws: KeepsakeError.self) {
        try settings(["AWS_PROFILE": profile]).credentials()
      }
      #expect(error?.code == .permissionDenied)
      #expect(error?.message.contains("sesame") == false)
      #expect(error?.message.contains(profile) == true)
    }
  }

  @Test func `no description shows a key`() {
    let keys = ObjectCredentials(keyID: "IDENTITY", secret: "sesame", token: "token-sesame-more")
    var dumped = ""
    dump(keys, to: &dumped)
    for text in [
      "\(keys)", String(reflecting: keys), dumped, "\([keys])",
      "\(Mirror(reflecting: keys).children.map(\.value))",
    ] {
      #expect(!text.contains("sesame") && !text.contains("IDENTITY"), "\(text)")
    }
    #expect(keys.hidden(in: "IDENTITY+token-sesame-more, sesame!") == "…+…, …!")
  }

  @Test func `only whole and harmless XML is read`() throws {
    let text = """
      <?xml version="1.0"?><!-- a --><s:Error xmlns:s="x"><Code>A&amp;B&#x41;&#66;</Code>
      <Empty/><Message a="<>">m</Message></s:Error>
      """
    let found = try #require(Markup(Array(text.utf8)))
    #expect(found.name == "Error")
    #expect(found.text(of: "Code") == "A&BAB")
    #expect(found.text(of: "Empty") == "")
    for cut in 1..<(text.utf8.count - 1) {
      #expect(Markup(Array(text.utf8.prefix(cut))) == nil, "cut to \(cut)")
    }
    for wrong in [
      "", "text", "<a></b>", "<a>&unknown;</a>", "<a></a><b/>",
      "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "<a><![CDATA[x]]></a>",
      String(repeating: "<a>", count: 50) + String(repeating: "</a>", count: 50),
    ] { #expect(Markup(Array(wrong.utf8)) == nil, "\(wrong)") }
  }
}
