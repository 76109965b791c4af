// Gives every file of the folders named to the parser's entry point: the seeds, and what once broke
// it. It passes when it comes to its end; built with sanitizers it finds what they find.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv) {
  size_t inputs = 0;
  for (int i = 1; i < argc; ++i) {
    std::error_code none; // a parser that nothing has broken has no folder
    for (const auto &file : std::filesystem::directory_iterator(argv[i], none)) {
      std::ifstream in(file.path(), std::ios::binary);
      const std::vector<char> bytes(std::istreambuf_iterator<char>(in), {});
      std::printf("%s\n", file.path().c_str());
      std::fflush(stdout);
      LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
      // Every shorter input, too: at most a few thousand of them.
      const size_t step = bytes.size() / 2000 + 1;
      for (size_t size = 0; size < bytes.size(); size += step) {
        const std::vector<char> part(bytes.begin(), bytes.begin() + size); // its end is guarded
        LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(part.data()), part.size());
      }
      ++inputs;
    }
  }
  std::printf("%zu inputs\n", inputs);
  return inputs ? 0 : 1;
}
