// Keys, hashed a tile at a time.
#pragma once
#include "hash.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

/** How many keys are hashed at a time: few enough for their hashes to stay in the fastest cache. */
constexpr int TILE = 1024;

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

  /** Calls probe(hashes, count) for each tile, and returns the sum of its results. */
  template <class Hasher = Murmur3, class Probe> uint64_t eachTile(Probe probe) const {
    Hash hashes[TILE];
    int count = 0;
    uint64_t sum = 0;
    const char *const end = text.data() + size;
    for (const char *line = text.data(); line < end;) {
      const char *newline = static_cast<const char *>(std::memchr(line, '\n', static_cast<size_t>(end - line)));
      hashes[count++] = Hasher::ofBytes(reinterpret_cast<const uint8_t *>(line), static_cast<size_t>(newline - line));
      line = newline + 1;
      if (count == TILE) {
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

  /** Calls probe(hashes, count) for each tile, and returns the sum of its results. */
  template <class Hasher = Murmur3, class Probe> uint64_t eachTile(Probe probe) const {
    Hash hashes[TILE];
    uint64_t sum = 0;
    for (uint64_t from = 0; from < length; from += TILE) {
      const int count = static_cast<int>(std::min<uint64_t>(TILE, length - from));
      for (int i = 0; i < count; i++) hashes[i] = Hasher::ofInteger(first + from + static_cast<uint64_t>(i));
      sum += probe(hashes, count);
    }
    return sum;
  }
};
