// SipHash-1-3 with 128 bits of output by Jean-Philippe Aumasson and Daniel J. Bernstein, under a secret of 16 bytes.
#pragma once
#include "hash.hpp"

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
