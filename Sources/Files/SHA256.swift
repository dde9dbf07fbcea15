#if canImport(CryptoKit)
  import CryptoKit
#else
  import CCrypto
  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif
#endif

/// Computes SHA-256 over bytes that come in pieces.
@safe
public struct SHA256: ~Copyable {
  #if canImport(CryptoKit)
    private var state = CryptoKit.SHA256()
  #else
    @safe private let context: OpaquePointer
    /// Whether the context is ready for bytes; otherwise it still holds the last message.
    private var isBegun: Bool
    /// Looked up once: OpenSSL 3 searches its providers each time that it is asked by name.
    private static let algorithm = unsafe Algorithm(EVP_MD_fetch(nil, "SHA256", nil))

    @safe
    private struct Algorithm: @unchecked Sendable {
      // `@unchecked`: OpenSSL documents a fetched algorithm as immutable and free to share.
      @safe let handle: OpaquePointer

      init(_ handle: OpaquePointer?) {
        guard let handle = unsafe handle else {
          fatalError("Can't compute SHA-256: this libcrypto does not offer it. Check openssl.cnf.")
        }
        unsafe self.handle = handle
      }
    }
  #endif

  /// A computation that has seen no bytes yet.
  public init() {
    #if !canImport(CryptoKit)
      if let context = unsafe RestingContext.take() {
        unsafe self.context = context
        isBegun = false
        return
      }
      guard let context = unsafe EVP_MD_CTX_new() else {
        fatalError("Can't compute SHA-256: out of memory.")
      }
      unsafe self.context = context
      isBegun = true
      Self.check(unsafe EVP_DigestInit_ex2(context, Self.algorithm.handle, nil))
    #endif
  }

  #if !canImport(CryptoKit)
    deinit {
      unsafe RestingContext.giveBack(context)
    }

    private mutating func begin() {
      if isBegun { return }
      isBegun = true
      Self.check(unsafe EVP_DigestInit_ex2(context, nil, nil))
    }

    @inline(__always)
    private static func check(_ result: Int32) {
      // The software digest can't fail on valid arguments; a wrong digest must never get out.
      precondition(result == 1, "libcrypto failed to compute SHA-256.")
    }
  #endif

  /// Takes in more bytes.
  public mutating func update(_ span: RawSpan) {
    unsafe span.withUnsafeBytes { unsafe update($0) }
  }

  /// Takes in more bytes.
  public mutating func update(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe update($0) }
  }

  /// Takes in the UTF-8 of a text.
  public mutating func update(_ text: String) {
    var text = text
    text.withUTF8 { unsafe update(UnsafeRawBufferPointer($0)) }
  }

  private mutating func update(_ buffer: UnsafeRawBufferPointer) {
    #if canImport(CryptoKit)
      unsafe state.update(bufferPointer: buffer)
    #else
      begin()
      Self.check(unsafe EVP_DigestUpdate(context, buffer.baseAddress, buffer.count))
    #endif
  }

  /// The digest of all bytes so far; afterwards this is ready for a new message.
  public mutating func finalize() -> SHA256Digest {
    #if canImport(CryptoKit)
      let result = state.finalize()
      state = CryptoKit.SHA256()
      let digest = unsafe result.withUnsafeBytes { unsafe SHA256Digest(span: $0.bytes) }
    #else
      begin()
      isBegun = false
      var result: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
      let digest = unsafe withUnsafeMutableBytes(of: &result) { buffer in
        let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        Self.check(unsafe EVP_DigestFinal_ex(context, start, nil))
        return unsafe SHA256Digest(span: buffer.bytes)
      }
    #endif
    guard let digest else { preconditionFailure("A SHA-256 digest was not 32 bytes.") }
    return digest
  }

  /// The digest of these bytes.
  public static func digest(of bytes: [UInt8]) -> SHA256Digest {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finalize()
  }

  /// The digest of these bytes.
  public static func digest(of span: RawSpan) -> SHA256Digest {
    var hash = SHA256()
    hash.update(span)
    return hash.finalize()
  }
}

#if !canImport(CryptoKit)
  /// A context of libcrypto that waits on its thread for the next computation: making one, and letting it go again,
  /// costs as much as hashing a link of a chain.
  @safe
  private enum RestingContext {
    private static let key: pthread_key_t = {
      var key = pthread_key_t()
      let code = unsafe pthread_key_create(&key) { context in
        unsafe EVP_MD_CTX_free(context.map { OpaquePointer($0) })
      }
      PosixMutex.check(code, "keep a value for each thread")
      return key
    }()

    @unsafe
    static func take() -> OpaquePointer? {
      guard let context = unsafe pthread_getspecific(key) else { return nil }
      pthread_setspecific(key, nil)
      return OpaquePointer(context)
    }

    @unsafe
    static func giveBack(_ context: OpaquePointer) {
      guard unsafe pthread_getspecific(key) == nil,
        unsafe pthread_setspecific(key, UnsafeRawPointer(context)) == 0
      else { return unsafe EVP_MD_CTX_free(context) }
    }
  }
#endif
