// hipcc's own files, with LLVM's tools as the oracle.
#include "runtime/codeobject/choice.h"
#include "runtime/codeobject/codeobject.h"
#include "runtime/codeobject/hostfile.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <sstream>
#include <stdlib.h>

using namespace meld;

namespace {

Bytes slurp(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

std::string output(const std::string &command) {
  std::string text;
  FILE *pipe = popen(command.c_str(), "r");
  char buffer[4096];
  while (size_t got = fread(buffer, 1, sizeof(buffer), pipe))
    text.append(buffer, got);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

class Scratch {
public:
  Scratch() {
    char name[] = "/tmp/meld-test-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Scratch() { (void)!system(("rm -rf " + path_).c_str()); }
  std::string file(const std::string &name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

DeviceImage imageFor(const std::vector<DeviceImage> &images, const std::string &processor) {
  for (const DeviceImage &image : images)
    if (image.id.find(processor) != std::string::npos)
      return image;
  ADD_FAILURE() << "no image for " << processor;
  return {};
}

} // namespace

TEST(Real, ImagesAreWhatTheUnbundlerFinds) {
  Bytes file = slurp(MELD_SAMPLE);
  auto images = findDeviceImages(file);
  ASSERT_TRUE(images) << images.error().message;
  ASSERT_EQ(images->size(), 2u);
  Scratch scratch;
  std::string fatbin = scratch.file("fatbin"), object = scratch.file("object");
  output(std::string(MELD_LLVM_BIN "/llvm-objcopy --dump-section .hip_fatbin=") + fatbin +
         " " MELD_SAMPLE " " + scratch.file("copy"));
  for (const char *processor : {"gfx90a", "gfx1030"}) {
    output(std::string(MELD_LLVM_BIN "/clang-offload-bundler --unbundle --type=o --input=") +
           fatbin + " --targets=hipv4-amdgcn-amd-amdhsa--" + processor + " --output=" + object);
    DeviceImage image = imageFor(*images, processor);
    EXPECT_EQ(Bytes(image.bytes.begin(), image.bytes.end()), slurp(object)) << processor;
    EXPECT_TRUE(std::equal(image.bytes.begin(), image.bytes.end(), file.begin() + image.offset));
    EXPECT_TRUE(hasBitcode(image.bytes));
  }
}

TEST(Real, SymbolsAreWhatReadelfPrints) {
  Bytes file = slurp(MELD_SAMPLE);
  auto images = findDeviceImages(file);
  ASSERT_TRUE(images);
  DeviceImage image = imageFor(*images, "gfx90a");
  Scratch scratch;
  std::ofstream(scratch.file("object"), std::ios::binary)
      .write(reinterpret_cast<const char *>(image.bytes.data()), image.bytes.size());
  std::map<std::string, std::pair<uint64_t, uint64_t>> expected;
  std::istringstream lines(
      output(MELD_LLVM_BIN "/llvm-readelf --dyn-syms --wide " + scratch.file("object")));
  for (std::string line; std::getline(lines, line);) {
    unsigned number;
    unsigned long value;
    char size[32], type[32], bind[32], visibility[32], index[32], name[256];
    if (std::sscanf(line.c_str(), " %u: %lx %31s %31s %31s %31s %31s %255s", &number, &value, size,
                    type, bind, visibility, index, name) == 8)
      expected[name] = {value, std::strtoull(size, nullptr, 0)};
  }
  ASSERT_GE(expected.size(), 9u);
  auto object = CodeObject::parse(image.bytes);
  ASSERT_TRUE(object) << object.error().message;
  std::map<std::string, std::pair<uint64_t, uint64_t>> found;
  for (const ElfSymbol &symbol : object->symbols)
    found[std::string(symbol.name)] = {symbol.value, symbol.size};
  EXPECT_EQ(found, expected);
}

TEST(Real, MetadataIsWhatReadelfPrints) {
  Bytes file = slurp(MELD_SAMPLE);
  auto images = findDeviceImages(file);
  ASSERT_TRUE(images);
  for (const char *processor : {"gfx90a", "gfx1030"}) {
    DeviceImage image = imageFor(*images, processor);
    Scratch scratch;
    std::ofstream(scratch.file("object"), std::ios::binary)
        .write(reinterpret_cast<const char *>(image.bytes.data()), image.bytes.size());
    // readelf prints the kernels as YAML; scalar fields of a kernel are indented by four.
    std::vector<std::map<std::string, std::string>> kernels;
    std::string target;
    std::istringstream lines(
        output(MELD_LLVM_BIN "/llvm-readelf --notes " + scratch.file("object")));
    for (std::string line; std::getline(lines, line);) {
      size_t first = line.find_first_not_of(' ');
      if (first == std::string::npos)
        continue;
      std::string text = line.substr(first);
      if (text.rfind("amdhsa.target:", 0) == 0)
        target = text.substr(text.find_last_of(" '") + 1);
      if (text.rfind("- .agpr_count:", 0) == 0 || text.rfind("- .args:", 0) == 0)
        kernels.emplace_back();
      if (text.rfind("- ", 0) == 0)
        text = text.substr(2);
      size_t colon = text.find(':');
      if (kernels.empty() || colon == std::string::npos || text[0] != '.')
        continue;
      size_t value = text.find_first_not_of(' ', colon + 1);
      if (value != std::string::npos)
        kernels.back()[text.substr(0, colon)] = text.substr(value);
    }
    auto object = CodeObject::parse(image.bytes);
    ASSERT_TRUE(object) << object.error().message;
    ASSERT_EQ(object->metadata.kernels.size(), kernels.size());
    ASSERT_EQ(kernels.size(), 3u);
    EXPECT_EQ(object->isa.targetId(), std::string("amdgcn-amd-amdhsa--") + processor);
    for (size_t i = 0; i < kernels.size(); ++i) {
      const KernelMetadata &k = object->metadata.kernels[i];
      auto &expected = kernels[i];
      EXPECT_EQ(k.symbol, expected[".symbol"]);
      EXPECT_EQ(std::to_string(k.vgprs), expected[".vgpr_count"]) << k.name;
      EXPECT_EQ(std::to_string(k.sgprs), expected[".sgpr_count"]) << k.name;
      EXPECT_EQ(std::to_string(k.kernargSize), expected[".kernarg_segment_size"]) << k.name;
      EXPECT_EQ(std::to_string(k.kernargAlign), expected[".kernarg_segment_align"]) << k.name;
      EXPECT_EQ(std::to_string(k.groupSize), expected[".group_segment_fixed_size"]) << k.name;
      EXPECT_EQ(std::to_string(k.privateSize), expected[".private_segment_fixed_size"]) << k.name;
      EXPECT_EQ(std::to_string(k.wavefrontSize), expected[".wavefront_size"]) << k.name;
      EXPECT_EQ(std::to_string(k.maxFlatWorkgroupSize), expected[".max_flat_workgroup_size"])
          << k.name;
      auto descriptor = object->descriptor(k);
      ASSERT_TRUE(descriptor) << descriptor.error().message;
      EXPECT_EQ(descriptor->groupSize, k.groupSize);
      EXPECT_EQ(descriptor->privateSize, k.privateSize);
      EXPECT_EQ(descriptor->kernargSize, k.kernargSize);
      EXPECT_EQ(descriptor->wavefrontSize(), k.wavefrontSize);
    }
  }
}

TEST(Real, WithoutEmbeddingThereIsNoBitcode) {
  Bytes file = slurp(MELD_PLAIN);
  auto images = findDeviceImages(file);
  ASSERT_TRUE(images) << images.error().message;
  for (const DeviceImage &image : *images) {
    EXPECT_FALSE(hasBitcode(image.bytes));
    EXPECT_TRUE(CodeObject::parse(image.bytes)->bitcode().empty());
  }
}

TEST(Real, ProgramsWithoutDeviceCodeSaySo) {
  Bytes file = slurp("/bin/true");
  auto images = findDeviceImages(file);
  ASSERT_FALSE(images);
  EXPECT_EQ(images.error().code, ErrorCode::notFound);
}

// What LLVM 21 makes (llvm21/README.md): compressed, and with code for a generic target.
TEST(Real, BundlesOfLlvm21) {
  for (const char *name : {"version2", "version3"}) {
    const Bytes file = slurp(std::string(MELD_LLVM21) + "/" + name + ".ccob");
    auto images = findDeviceImages(file);
    ASSERT_TRUE(images) << name << ": " << images.error().message;
    ASSERT_EQ(images->size(), 2u) << name;
    std::vector<Isa> codes;
    for (const DeviceImage &image : *images) {
      EXPECT_TRUE(hasBitcode(image.bytes)) << image.id;
      auto object = CodeObject::parse(image.bytes);
      ASSERT_TRUE(object) << image.id << ": " << object.error().message;
      EXPECT_EQ(object->isa.codeObjectVersion, 6u);
      EXPECT_EQ("hipv4-" + object->isa.targetId(), image.id);
      EXPECT_EQ(object->metadata.target, object->isa.targetId());
      ASSERT_EQ(object->metadata.kernels.size(), 1u);
      EXPECT_EQ(object->metadata.kernels[0].wavefrontSize, 64u);
      codes.push_back(object->isa);
    }
    EXPECT_EQ(codes[0].xnack, IsaFeature::off);
    EXPECT_EQ(codes[1].genericVersion, 1u);
    using Places = std::vector<size_t>;
    EXPECT_EQ(chosenFor(*parseTargetId("gfx90a:sramecc+:xnack-"), codes), Places{0});
    EXPECT_EQ(chosenFor(*parseTargetId("gfx90a:sramecc+:xnack+"), codes), Places{});
    EXPECT_EQ(chosenFor(*parseTargetId("gfx906:sramecc+:xnack+"), codes), Places{1});
  }
}
