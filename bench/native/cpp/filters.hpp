// The filters, and their memory.
#pragma once
#include "keys.hpp"
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#ifdef __AVX2__
#include <immintrin.h>
#endif

/** The memory of a filter, with digests to check whether another filter has the same bits set. */
class Bits {
  static constexpr size_t PAGE = 4096;
  struct Free {
    void operator()(uint8_t *memory) const { std::free(memory); }
  };
  size_t size;
  std::unique_ptr<uint8_t, Free> memory;

public:
  explicit Bits(size_t bytes)
      : size(bytes), memory(static_cast<uint8_t *>(std::aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE))) {
    if (!memory) throw std::bad_alloc();
    clear();
  }

  uint8_t *data() const { return memory.get(); }

  void clear() { std::memset(data(), 0, size); }

  uint64_t popcount() const {
    uint64_t count = 0;
    for (size_t i = 0; i < size; i++) count += static_cast<uint64_t>(__builtin_popcount(data()[i]));
    return count;
  }

  /** 64-bit FNV-1a. */
  uint64_t fnv1a() const {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; i++) hash = (hash ^ data()[i]) * 0x100000001b3;
    return hash;
  }
};

/**
 * The classic Bloom filter: a key sets k of m bits. Index i is floor(s · m / 2^64), and s steps as a linear
 * congruential generator whose increment is the key's own.
 */
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

/** The split-block Bloom filter: a key sets one bit in each of the eight words of one block of 32 bytes. */
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
