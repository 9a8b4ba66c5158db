// Keys, and their hashes: MurmurHash3 x64_128 by Austin Appleby, seed 0. Words are read in native byte order: little-endian
// machines only.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

struct Hash {
  uint64_t h1, h2;
};

/** How many readable bytes must follow a key. */
constexpr size_t READ_AHEAD = 16;

namespace murmur3 {

constexpr uint64_t C1 = 0x87c37b91114253d5, C2 = 0x4cf5ad432745937f;

inline uint64_t rotate(uint64_t x, int by) { return x << by | x >> (64 - by); }

inline uint64_t load(const uint8_t *at) {
  uint64_t word;
  std::memcpy(&word, at, 8);
  return word;
}

inline uint64_t mixFirst(uint64_t k) { return rotate(k * C1, 31) * C2; }
inline uint64_t mixSecond(uint64_t k) { return rotate(k * C2, 33) * C1; }

inline uint64_t avalanche(uint64_t k) {
  k = (k ^ k >> 33) * 0xff51afd7ed558ccd;
  k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53;
  return k ^ k >> 33;
}

inline Hash finish(uint64_t h1, uint64_t h2, uint64_t length) {
  h1 ^= length;
  h2 ^= length;
  h1 += h2;
  h2 += h1;
  h1 = avalanche(h1);
  h2 = avalanche(h2);
  h1 += h2;
  return {h1, h2 + h1};
}

inline Hash ofBytes(const uint8_t *key, size_t length) {
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

inline Hash ofInteger(uint64_t key) { return finish(mixFirst(key), 0, 8); }

} // namespace murmur3

/** How many keys are hashed at a time: few enough for their hashes to stay in the fastest cache. */
constexpr int WINDOW = 1024;

/** The lines of a file, read into memory. An empty line is the empty key; a newline at the very end adds no line. */
class Lines {
  std::vector<char> text;
  size_t size;
  uint64_t lines;

public:
  explicit Lines(const std::string &path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) throw std::runtime_error("cannot read " + path);
    const auto length = static_cast<size_t>(file.tellg());
    text.resize(length + 1 + READ_AHEAD);
    file.seekg(0).read(text.data(), static_cast<std::streamsize>(length));
    const bool missing = length > 0 && text[length - 1] != '\n';
    if (missing) text[length] = '\n';
    size = length + missing;
    lines = static_cast<uint64_t>(std::count(text.data(), text.data() + size, '\n'));
  }

  uint64_t count() const { return lines; }

  /** Calls probe(hashes, count) for each window, and returns the sum of its results. */
  template <class Probe> uint64_t eachWindow(Probe probe) const {
    Hash hashes[WINDOW];
    int count = 0;
    uint64_t sum = 0;
    const char *const end = text.data() + size;
    for (const char *line = text.data(); line < end;) {
      const char *newline = static_cast<const char *>(std::memchr(line, '\n', static_cast<size_t>(end - line)));
      hashes[count++] =
          murmur3::ofBytes(reinterpret_cast<const uint8_t *>(line), static_cast<size_t>(newline - line));
      line = newline + 1;
      if (count == WINDOW) {
        sum += probe(hashes, count);
        count = 0;
      }
    }
    return sum + (count > 0 ? probe(hashes, count) : 0);
  }
};

/** Consecutive integers, generated as they are needed. */
class Integers {
  uint64_t first, length;

public:
  Integers(uint64_t from, uint64_t count) : first(from), length(count) {}

  uint64_t count() const { return length; }

  /** Calls probe(hashes, count) for each window, and returns the sum of its results. */
  template <class Probe> uint64_t eachWindow(Probe probe) const {
    Hash hashes[WINDOW];
    uint64_t sum = 0;
    for (uint64_t from = 0; from < length; from += WINDOW) {
      const int count = static_cast<int>(std::min<uint64_t>(WINDOW, length - from));
      for (int i = 0; i < count; i++) hashes[i] = murmur3::ofInteger(first + from + static_cast<uint64_t>(i));
      sum += probe(hashes, count);
    }
    return sum;
  }
};
