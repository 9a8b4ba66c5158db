// The classic Bloom filter: a key sets k of m bits. Index i is floor(s · m / 2^64), and s steps as a linear
// congruential generator whose increment is the key's own.
#pragma once
#include "bits.hpp"
#include "murmur3.hpp"

class Classic {
  /** How many keys ahead of the probe to prefetch. */
  static constexpr int AHEAD = 8;
  /** Bits of a key to prefetch for a lookup. It seldom reads more of an absent key: at capacity half are set. */
  static constexpr int LOOKUP_AHEAD = 2;

  Bits body;
  uint64_t m;
  int k;

  /** Calls visit(byte, bit) for the first `count` indices of a key, until it returns false. */
  template <class Visit> static inline bool each(Hash hash, uint64_t m, int count, Visit visit) {
    uint64_t s = hash.h1;
    // The empty key hashes to (0, 0): without the XOR all its indices would be 0.
    const uint64_t d = hash.h2 ^ 0x9e3779b97f4a7c15;
    for (int i = 0; i < count; i++, s = s * 0xd1342543de82ef95 + d) {
      const uint64_t index = static_cast<uint64_t>(static_cast<unsigned __int128>(s) * m >> 64);
      if (!visit(index >> 3, static_cast<uint8_t>(1 << (index & 7)))) return false;
    }
    return true;
  }

public:
  Classic(uint64_t bits, int hashes) : body((bits + 7) / 8), m(bits), k(hashes) {}

  Bits &bits() { return body; }

  void add(const Hash *hashes, int count) {
    // Copies, because as far as the compiler knows, a store to a byte may change any member.
    uint8_t *const bytes = body.data();
    const auto [m, k] = sizes();
    for (int i = 0; i < count; i++) {
      if (i + AHEAD < count) prefetch<1>(bytes, hashes[i + AHEAD], m, k);
      each(hashes[i], m, k, [&](uint64_t byte, uint8_t bit) { return bytes[byte] |= bit, true; });
    }
  }

  uint64_t addFlags(const Hash *hashes, int count, uint8_t *flags) {
    uint8_t *const bytes = body.data();
    const auto [m, k] = sizes();
    uint64_t added = 0;
    for (int i = 0; i < count; i++) {
      if (i + AHEAD < count) prefetch<1>(bytes, hashes[i + AHEAD], m, k);
      uint8_t fresh = 0;
      each(hashes[i], m, k, [&](uint64_t byte, uint8_t bit) {
        const uint8_t old = bytes[byte];
        fresh |= bit & ~old;
        bytes[byte] = old | bit;
        return true;
      });
      added += flags[i] = fresh != 0;
    }
    return added;
  }

  uint64_t has(const Hash *hashes, int count, uint8_t *flags) const {
    const uint8_t *const bytes = body.data();
    const auto [m, k] = sizes();
    uint64_t present = 0;
    for (int i = 0; i < count; i++) {
      if (i + AHEAD < count) prefetch<0>(bytes, hashes[i + AHEAD], m, k < LOOKUP_AHEAD ? k : LOOKUP_AHEAD);
      const bool found = each(hashes[i], m, k, [&](uint64_t byte, uint8_t bit) { return (bytes[byte] & bit) != 0; });
      present += flags[i] = found;
    }
    return present;
  }

private:
  struct Sizes {
    uint64_t m;
    int k;
  };
  Sizes sizes() const { return {m, k}; }

  template <int Write> static inline void prefetch(const uint8_t *bytes, Hash hash, uint64_t m, int count) {
    each(hash, m, count, [&](uint64_t byte, uint8_t) { return __builtin_prefetch(bytes + byte, Write), true; });
  }
};
