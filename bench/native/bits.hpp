// The memory of a filter, with digests to check whether another filter has the same bits set.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

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
