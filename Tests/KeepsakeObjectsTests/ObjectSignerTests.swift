import Foundation
import Keepsake
import KeepsakeFiles
import Testing

@testable import KeepsakeObjects

/// The expected signatures are those of Amazon's documentation ("Examples: Signature Calculations"), and of botocore 1.44.8 for
/// the same requests, which gave the documented ones too.
@Suite struct `Requests to an object store are signed` {
  static let day: Int64 = 1_369_353_600

  struct Vector: Sendable, CustomTestStringConvertible {
    let method: String
    let path: String
    var query: [(name: String, value: String)] = []
    var headers: [String: String] = ["host": "127.0.0.1:8333"]
    var body = ""
    var token: String?
    let signature: String
    var testDescription: String { "\(method) \(path)" }
  }

  static let vectors: [Vector] = [
    Vector(
      method: "GET", path: "/test.txt",
      headers: ["host": "examplebucket.s3.amazonaws.com", "range": "bytes=0-9"],
      signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
    Vector(
      method: "GET", path: "/", query: [("lifecycle", "")],
      headers: ["host": "examplebucket.s3.amazonaws.com"],
      signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
    Vector(
      method: "GET", path: "/", query: [("prefix", "J"), ("max-keys", "2")],
      headers: ["host": "examplebucket.s3.amazonaws.com"],
      signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    Vector(
      method: "PUT", path: "/bucket/" + PercentEncoding.path("a b+c/ü%25'(1)*.txt"),
      headers: [
        "host": "127.0.0.1:8333", "if-none-match": "*", "content-md5": "XUFAKrxLKna5cZ2REBfFkg==",
        "x-amz-checksum-sha256": "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=",
      ], body: "hello", token: "TOKEN/+=",
      signature: "6b94289b22936823de7e178ba9e0f7c62ac995720d147df2c86d3f68db0b7401"),
    Vector(
      method: "GET", path: "/bucket",
      query: [
        ("list-type", "2"), ("prefix", "a b+c/ü%25'(1)*"), ("delimiter", "/"),
        ("continuation-token", "a+b=="), ("max-keys", "1000"),
      ], signature: "e7921ffba633dcc7e199079dea9ed660214e1c4ea800f3ed37ee6710c0402c4f"),
    Vector(
      method: "POST", path: "/bucket/k", query: [("uploads", "")],
      signature: "5caf520afd9eb6f577fa9efa6abb57b9394db0827b4cf6c526624125a245b026"),
    Vector(
      method: "DELETE", path: "/bucket/k", query: [("uploadId", "x~y/z")],
      signature: "fcb6cbe0cacb58817f452eca3586b9426842d71a10a3d858d7fce8fd30d11163"),
  ]

  @Test(arguments: vectors) func `as others sign them`(_ vector: Vector) throws {
    let credentials = ObjectCredentials(
      keyID: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      token: vector.token)
    let headers = ObjectSigner(credentials: credentials, region: "us-east-1").signed(
      vector.method, vector.path, query: vector.query, headers: vector.headers,
      payload: SHA256.digest(of: Array(vector.body.utf8)), at: Self.day)
    #expect(headers["x-amz-date"] == "20130524T000000Z")
    #expect(headers["authorization"]?.hasSuffix("Signature=\(vector.signature)") == true)
  }

  /// Test cases 1, 2, 3 and 6 of RFC 4231.
  @Test func `by a code that is that of the standard`() {
    let cases: [([UInt8], [UInt8], String)] = [
      (
        Array(repeating: 0x0B, count: 20), Array("Hi There".utf8),
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        Array(repeating: 0xAA, count: 20), Array(repeating: 0xDD, count: 50),
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
      ),
      (
        Array(repeating: 0xAA, count: 131),
        Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ]
    for (key, message, code) in cases {
      #expect(SHA256Digest(bytes: HMAC.code(of: message, key: key))?.hex == code)
    }
  }

  /// The test suite of RFC 1321.
  @Test(arguments: [
    ("", "d41d8cd98f00b204e9800998ecf8427e"), ("abc", "900150983cd24fb0d6963f7d28e17f72"),
    ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
  ]) func `with the checksum that servers know`(_ text: String, _ digest: String) {
    let hex = MD5.digest(of: Array(text.utf8)).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    #expect(hex.joined() == digest)
  }

  @Test func `with dates of every year`() {
    for (seconds, stamp) in [
      (0, "19700101T000000Z"), (951_782_400, "20000229T000000Z"), (951_868_799, "20000229T235959Z"),
      (1_709_164_800, "20240229T000000Z"), (1_735_689_599, "20241231T235959Z"),
      (4_107_542_400, "21000301T000000Z"),
    ] { #expect(ObjectSigner.stamp(Int64(seconds)).time == stamp) }
    #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    #expect(HTTPDate.seconds("Thu, 29 Feb 2024 23:59:59 GMT") == 1_709_251_199)
    for wrong in ["", "now", "Sun, 06 Now 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT"] {
      #expect(HTTPDate.seconds(wrong) == nil)
    }
  }
}
