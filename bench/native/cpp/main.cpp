// Bloom filters in native code, as a reference for benchmarks: one thread, keys in memory, commands from the standard
// input, so that a benchmark can alternate between this program and another one.
//
//   native lines PRESENT ABSENT BITS HASHES BLOCKS    two files, whose lines are keys
//   native integers COUNT BITS HASHES BLOCKS          present: 0 … COUNT − 1; absent: as many from 2^40 on
//
// Describes itself in one line of JSON, then answers each command with another line. Commands: `hash`, `hashKeyed`, or a
// kind (`classic`, `blocked`) and an operation (`add`, `addFlags`, `hit`, `miss`).
#include "filters.hpp"
#include "keys.hpp"
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <iostream>

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "GCC " __VERSION__
#endif

/** How long an operation took, and how many flags it set: keys that were new, or found. */
struct Outcome {
  double nanoseconds;
  uint64_t flagged;
};

template <class Hasher = Murmur3, class Keys, class Probe> Outcome timed(const Keys &keys, Probe probe) {
  const auto start = std::chrono::steady_clock::now();
  const uint64_t flagged = keys.template eachTile<Hasher>(probe);
  const auto stop = std::chrono::steady_clock::now();
  return {std::chrono::duration<double, std::nano>(stop - start).count(), flagged};
}

void answer(const Outcome &outcome) {
  std::printf("{\"nanoseconds\":%.0f,\"flagged\":%" PRIu64 "}\n", outcome.nanoseconds, outcome.flagged);
}

void answer(const Outcome &outcome, const Bits &bits) {
  std::printf("{\"nanoseconds\":%.0f,\"flagged\":%" PRIu64 ",\"popcount\":%" PRIu64 ",\"fnv1a\":\"%016" PRIx64 "\"}\n",
              outcome.nanoseconds, outcome.flagged, bits.popcount(), bits.fnv1a());
}

template <class Hasher, class Keys> void hash(const Keys &keys) {
  // The sum keeps the compiler from optimizing the hashing away.
  answer(timed<Hasher>(keys, [](const Hash *hashes, int count) {
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) sum += hashes[i].h2 & 1;
    return sum;
  }));
}

template <class Keys, class Filter>
void operate(const std::string &operation, const Keys &present, const Keys &absent, Filter &filter) {
  uint8_t flags[TILE];
  const auto has = [&](const Hash *hashes, int count) { return filter.has(hashes, count, flags); };
  if (operation == "add") {
    filter.bits().clear();
    const Outcome outcome =
        timed(present, [&](const Hash *hashes, int count) { return filter.add(hashes, count), uint64_t{0}; });
    answer(outcome, filter.bits());
  } else if (operation == "addFlags") {
    filter.bits().clear();
    const Outcome outcome =
        timed(present, [&](const Hash *hashes, int count) { return filter.addFlags(hashes, count, flags); });
    answer(outcome, filter.bits());
  } else if (operation == "hit") {
    answer(timed(present, has));
  } else if (operation == "miss") {
    answer(timed(absent, has));
  } else {
    throw std::runtime_error("unknown operation: " + operation);
  }
}

template <class Keys> void serve(const Keys &present, const Keys &absent, Classic classic, Blocked blocked) {
  std::printf("{\"compiler\":\"" COMPILER "\",\"simd\":\"%s\",\"present\":%" PRIu64 ",\"absent\":%" PRIu64 "}\n",
              Blocked::SIMD, present.count(), absent.count());
  std::fflush(stdout);
  for (std::string kind, operation; std::cin >> kind; std::fflush(stdout)) {
    if (kind == "hash" || kind == "hashKeyed") {
      if (kind == "hash") hash<Murmur3>(present);
      else hash<SipHash>(present);
      continue;
    }
    std::cin >> operation;
    if (kind == "classic") operate(operation, present, absent, classic);
    else if (kind == "blocked") operate(operation, present, absent, blocked);
    else throw std::runtime_error("unknown kind: " + kind);
  }
}

int main(int count, char **arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  try {
    if (words.size() == 6 && words[0] == "lines") {
      serve(Lines(words[1]), Lines(words[2]), Classic(std::stoull(words[3]), std::stoi(words[4])),
            Blocked(std::stoull(words[5])));
    } else if (words.size() == 5 && words[0] == "integers") {
      const uint64_t keys = std::stoull(words[1]);
      serve(Integers(0, keys), Integers(uint64_t{1} << 40, keys), Classic(std::stoull(words[2]), std::stoi(words[3])),
            Blocked(std::stoull(words[4])));
    } else {
      std::fputs("usage: native lines PRESENT ABSENT BITS HASHES BLOCKS | native integers COUNT BITS HASHES BLOCKS\n",
                 stderr);
      return 2;
    }
  } catch (const std::exception &error) {
    std::fprintf(stderr, "native: %s\n", error.what());
    return 1;
  }
}
