// Hashes of keys, MurmurHash3 x64_128 by Austin Appleby, seed 0, and what other hashes need as well. Words are read in
// native byte order: little-endian machines only.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

struct Hash {
  uint64_t h1, h2;
};

/** How many readable bytes must follow a key. */
constexpr size_t READ_AHEAD = 16;

inline uint64_t rotate(uint64_t x, int by) { return x << by | x >> (64 - by); }

inline uint64_t load(const uint8_t *at) {
  uint64_t word;
  std::memcpy(&word, at, 8);
  return word;
}

class Murmur3 {
  static constexpr uint64_t C1 = 0x87c37b91114253d5, C2 = 0x4cf5ad432745937f;

  static uint64_t mixFirst(uint64_t k) { return rotate(k * C1, 31) * C2; }
  static uint64_t mixSecond(uint64_t k) { return rotate(k * C2, 33) * C1; }

  static uint64_t avalanche(uint64_t k) {
    k = (k ^ k >> 33) * 0xff51afd7ed558ccd;
    k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53;
    return k ^ k >> 33;
  }

  static Hash finish(uint64_t h1, uint64_t h2, uint64_t length) {
    h1 ^= length;
    h2 ^= length;
    h1 += h2;
    h2 += h1;
    h1 = avalanche(h1);
    h2 = avalanche(h2);
    h1 += h2;
    return {h1, h2 + h1};
  }

public:
  static Hash ofBytes(const uint8_t *key, size_t length) {
    uint64_t h1 = 0, h2 = 0;
    const uint8_t *tail = key + (length & ~size_t{15});
    for (; key < tail; key += 16) {
      h1 = (rotate(h1 ^ mixFirst(load(key)), 27) + h2) * 5 + 0x52dce729;
      h2 = (rotate(h2 ^ mixSecond(load(key + 8)), 31) + h1) * 5 + 0x38495ab5;
    }
    // The tail is read in whole words; bytes that do not belong to the key are masked away.
    if (const unsigned rest = length & 15; rest > 8) {
      h1 ^= mixFirst(load(tail));
      h2 ^= mixSecond(load(tail + 8) & ~uint64_t{0} >> (128 - 8 * rest));
    } else if (rest > 0) {
      h1 ^= mixFirst(load(tail) & ~uint64_t{0} >> (64 - 8 * rest));
    }
    return finish(h1, h2, length);
  }

  static Hash ofInteger(uint64_t key) { return finish(mixFirst(key), 0, 8); }
};
