// The split-block Bloom filter: a key sets one bit in each of the eight words of one block of 32 bytes.
#pragma once
#include "bits.hpp"
#include "murmur3.hpp"
#ifdef __AVX2__
#include <immintrin.h>
#endif

class Blocked {
  static constexpr int AHEAD = 16;
  static constexpr int WORDS = 8;
  alignas(32) static constexpr uint32_t SALTS[WORDS] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                                        0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

  Bits body;
  uint64_t blocks;

  static inline uint32_t *blockOf(uint8_t *bytes, uint64_t blocks, Hash hash) {
    return reinterpret_cast<uint32_t *>(bytes + ((hash.h1 >> 32) * blocks >> 32) * (4 * WORDS));
  }

#ifdef __AVX2__
  static inline __m256i masks(Hash hash) {
    const __m256i salts = _mm256_load_si256(reinterpret_cast<const __m256i *>(SALTS));
    const __m256i products = _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(hash.h1)), salts);
    return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(products, 27));
  }

  /** Sets the bits of a key. Returns whether one of them was not set before. */
  static inline bool set(uint32_t *block, Hash hash) {
    __m256i *const words = reinterpret_cast<__m256i *>(block);
    const __m256i old = _mm256_load_si256(words), mask = masks(hash);
    _mm256_store_si256(words, _mm256_or_si256(old, mask));
    return !_mm256_testc_si256(old, mask);
  }

  static inline bool test(const uint32_t *block, Hash hash) {
    return _mm256_testc_si256(_mm256_load_si256(reinterpret_cast<const __m256i *>(block)), masks(hash));
  }
#else
  static inline uint32_t mask(int word, Hash hash) {
    return uint32_t{1} << (static_cast<uint32_t>(hash.h1) * SALTS[word] >> 27);
  }

  /** Sets the bits of a key. Returns whether one of them was not set before. */
  static inline bool set(uint32_t *block, Hash hash) {
    uint32_t fresh = 0;
    for (int word = 0; word < WORDS; word++) {
      fresh |= mask(word, hash) & ~block[word];
      block[word] |= mask(word, hash);
    }
    return fresh != 0;
  }

  static inline bool test(const uint32_t *block, Hash hash) {
    uint32_t missing = 0;
    for (int word = 0; word < WORDS; word++) missing |= mask(word, hash) & ~block[word];
    return missing == 0;
  }
#endif

public:
#ifdef __AVX2__
  static constexpr const char *SIMD = "AVX2";
#else
  static constexpr const char *SIMD = "no AVX2";
#endif

  explicit Blocked(uint64_t count) : body(count * (4 * WORDS)), blocks(count) {}

  Bits &bits() { return body; }

  void add(const Hash *hashes, int count) {
    // Copies, because as far as the compiler knows, a store may change any member.
    uint8_t *const bytes = body.data();
    const uint64_t blocks = this->blocks;
    for (int i = 0; i < count; i++) {
      if (i + AHEAD < count) __builtin_prefetch(blockOf(bytes, blocks, hashes[i + AHEAD]), 1);
      set(blockOf(bytes, blocks, hashes[i]), hashes[i]);
    }
  }

  uint64_t addFlags(const Hash *hashes, int count, uint8_t *flags) {
    uint8_t *const bytes = body.data();
    const uint64_t blocks = this->blocks;
    uint64_t added = 0;
    for (int i = 0; i < count; i++) {
      if (i + AHEAD < count) __builtin_prefetch(blockOf(bytes, blocks, hashes[i + AHEAD]), 1);
      added += flags[i] = set(blockOf(bytes, blocks, hashes[i]), hashes[i]);
    }
    return added;
  }

  uint64_t has(const Hash *hashes, int count, uint8_t *flags) const {
    uint8_t *const bytes = body.data();
    const uint64_t blocks = this->blocks;
    uint64_t present = 0;
    for (int i = 0; i < count; i++) {
      if (i + AHEAD < count) __builtin_prefetch(blockOf(bytes, blocks, hashes[i + AHEAD]));
      present += flags[i] = test(blockOf(bytes, blocks, hashes[i]), hashes[i]);
    }
    return present;
  }
};
