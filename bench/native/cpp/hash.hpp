// Hashes of keys: MurmurHash3 x64_128 by Austin Appleby, seed 0; and SipHash-1-3 with 128 bits of output by Jean-Philippe
// Aumasson and Daniel J. Bernstein, under a secret of 16 bytes. Words are read in native byte order: little-endian
// machines only.
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

/** Hashes keys under the bytes 0, 1, …, 15: whatever the secret is, the work is the same. */
class SipHash {
  static constexpr uint64_t K0 = 0x0706050403020100, K1 = 0x0f0e0d0c0b0a0908;

  uint64_t v0 = K0 ^ 0x736f6d6570736575, v1 = K1 ^ 0x646f72616e646f6d ^ 0xee;
  uint64_t v2 = K0 ^ 0x6c7967656e657261, v3 = K1 ^ 0x7465646279746573;

  void round() {
    v0 += v1, v2 += v3;
    v1 = rotate(v1, 13) ^ v0, v3 = rotate(v3, 16) ^ v2;
    v0 = rotate(v0, 32) + v3, v2 += v1;
    v1 = rotate(v1, 17) ^ v2, v3 = rotate(v3, 21) ^ v0;
    v2 = rotate(v2, 32);
  }

  void mix(uint64_t block) {
    v3 ^= block;
    round();
    v0 ^= block;
  }

  uint64_t half() {
    for (int i = 0; i < 3; i++) round();
    return v0 ^ v1 ^ v2 ^ v3;
  }

  Hash finish(uint64_t rest, uint64_t length) {
    mix(rest | length << 56);
    v2 ^= 0xee;
    const uint64_t h1 = half();
    v1 ^= 0xdd;
    return {h1, half()};
  }

public:
  static Hash ofBytes(const uint8_t *key, size_t length) {
    SipHash state;
    const uint8_t *tail = key + (length & ~size_t{7});
    for (; key < tail; key += 8) state.mix(load(key));
    return state.finish(load(tail) & ((uint64_t{1} << 8 * (length & 7)) - 1), length);
  }

  static Hash ofInteger(uint64_t key) {
    SipHash state;
    state.mix(key);
    return state.finish(0, 8);
  }
};
