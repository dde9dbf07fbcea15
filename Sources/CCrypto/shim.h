#pragma once

// libcrypto, for SHA-256 where CryptoKit is not there.
#include <openssl/evp.h>
