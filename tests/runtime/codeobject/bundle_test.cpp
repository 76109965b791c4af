#include "runtime/codeobject/hostfile.h"
#include "tests/runtime/codeobject/builder.h"
#include "tests/runtime/codeobject/compressed.h"

#include <gtest/gtest.h>
#include <random>

using namespace meld;
using namespace meld::test;

namespace {
const std::string kHost = "host-x86_64-unknown-linux--";
const std::string kDevice = "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+";
} // namespace

TEST(Bundle, ReadsEntries) {
  Bytes object = build({});
  Bytes bundle = buildBundle({{kHost, {}}, {kDevice, object}});
  auto read = readBundle(bundle);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->entries.size(), 2u);
  EXPECT_FALSE(read->entries[0].isDevice());
  EXPECT_EQ(read->entries[0].processor(), "");
  EXPECT_TRUE(read->entries[1].isDevice());
  EXPECT_EQ(read->entries[1].processor(), "gfx90a:xnack+");
  EXPECT_EQ(Bytes(read->entries[1].bytes.begin(), read->entries[1].bytes.end()), object);
  EXPECT_EQ(read->size, bundle.size());
}

TEST(Bundle, TargetsOfIds) {
  struct Case {
    const char *id, *target;
    bool spirv;
  };
  for (const auto &[id, target, spirv] : {
           Case{"hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-", false},
           Case{"hip-amdgcn-amd-amdhsa-gfx900", "gfx900", false}, // before code object 4
           Case{"hipv4-amdgcn-amd-amdhsa-unknown-gfx9-4-generic", "gfx9-4-generic", false},
           Case{"hipv4-amdgcn-amd-amdhsa--gfx11-generic", "gfx11-generic", false},
           Case{"hip-spirv64-amd-amdhsa--amdgcnspirv", "amdgcnspirv", true},
           Case{"hip-spirv64-amd-amdhsa-unknown-amdgcnspirv", "amdgcnspirv", true},
           Case{"host-x86_64-unknown-linux--", "", false},
           Case{"openmp-nvptx64-nvidia-cuda--sm_70", "", false},
       }) {
    BundleEntry entry;
    entry.id = id;
    EXPECT_EQ(entry.processor(), target) << id;
    EXPECT_EQ(entry.isSpirv(), spirv) << id;
  }
  Bytes bundle = buildBundle({{kDevice + std::string(1, '\0'), {1}}}); // counted with its end
  auto read = readBundle(bundle);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->entries[0].id, kDevice);
}

TEST(Bundle, EveryTruncationOfTheHeaderIsAnError) {
  Bytes bundle = buildBundle({{kHost, {}}, {kDevice, Bytes(100, 1)}});
  for (size_t size = 0; size < bundle.size(); ++size) {
    Bytes part(bundle.begin(), bundle.begin() + size);
    EXPECT_FALSE(readBundle(part)) << size;
  }
}

TEST(Bundle, EveryByteChangeOfTheHeaderIsHandled) {
  Bytes bundle = buildBundle({{kHost, {}}, {kDevice, Bytes(100, 1)}});
  for (size_t at = 0; at < 256; ++at)
    for (uint8_t value : {0x00, 0x7f, 0xff}) {
      Bytes changed = bundle;
      changed[at] = value;
      auto read = readBundle(changed);
      if (!read)
        continue;
      for (const BundleEntry &entry : read->entries)
        EXPECT_LE(entry.offset + entry.bytes.size(), changed.size());
    }
}

TEST(Bundle, SeveralBundlesInOneFatBinary) {
  // As the linker leaves them: bundle, padding to 4096, bundle.
  Bytes first = buildBundle({{kHost, {}}, {kDevice, build({})}});
  BuildObject other;
  other.bitcode.clear();
  Bytes second = buildBundle({{kHost, {}}, {kDevice, build(other)}});
  Bytes elf = buildHostFile({first, second});
  auto images = findDeviceImages(elf);
  ASSERT_TRUE(images) << images.error().message;
  ASSERT_EQ(images->size(), 2u);
  EXPECT_TRUE(hasBitcode((*images)[0].bytes));
  EXPECT_FALSE(hasBitcode((*images)[1].bytes));
  for (const DeviceImage &image : *images)
    EXPECT_TRUE(std::equal(image.bytes.begin(), image.bytes.end(), elf.begin() + image.offset));

  // Garbage between them is an error that says where.
  elf[(*images)[1].offset - 4096] = 'x';
  auto damaged = findDeviceImages(elf);
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().message.find(".hip_fatbin"), std::string::npos)
      << damaged.error().message;
}

// Found by the fuzzer: sections over each other and bundles that unpack to many images.
TEST(Bundle, ImagesOfAFileAreLimited) {
  std::vector<std::pair<std::string, Bytes>> entries(4096, {kDevice, {1}});
  const Bytes bundle = buildBundle(entries);
  auto most = findDeviceImages(buildHostFile(std::vector<Bytes>(16, bundle)));
  ASSERT_TRUE(most) << most.error().message;
  EXPECT_EQ(most->size(), 65536u);
  auto more = findDeviceImages(buildHostFile(std::vector<Bytes>(17, bundle)));
  ASSERT_FALSE(more);
  EXPECT_NE(more.error().message.find("65536"), std::string::npos) << more.error().message;
}

TEST(CompressedBundle, HeadersOfAllVersions) {
  Bytes v1 = {'C', 'C', 'O', 'B', 1, 0, 1, 0, 0x10, 0x20, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
  auto h1 = readCompressedHeader(v1);
  ASSERT_TRUE(h1) << h1.error().message;
  EXPECT_EQ(h1->method, 1u);
  EXPECT_EQ(h1->totalSize, 0u);
  EXPECT_EQ(h1->uncompressedSize, 0x2010u);
  Bytes v2 = {'C',  'C',  'O', 'B', 2, 0, 1, 0, 0x40, 0, 0, 0,
              0x10, 0x20, 0,   0,   1, 2, 3, 4, 5,    6, 7, 8};
  auto h2 = readCompressedHeader(v2);
  ASSERT_TRUE(h2);
  EXPECT_EQ(h2->totalSize, 0x40u);
  EXPECT_EQ(h2->uncompressedSize, 0x2010u);
  for (size_t size = 0; size < 16; ++size)
    EXPECT_FALSE(readCompressedHeader(ByteView(v2).first(size))) << size;
  v2[4] = 9;
  ASSERT_FALSE(readCompressedHeader(v2));
  EXPECT_EQ(readCompressedHeader(v2).error().code, ErrorCode::unsupported);
  auto images = findDeviceImages(v1);
  ASSERT_TRUE(images);
  EXPECT_TRUE((*images)[0].bytes.empty());
  EXPECT_NE((*images)[0].note.find("compressed bundle"), std::string::npos) << (*images)[0].note;
}

TEST(CompressedBundle, EveryVersionAndMethodIsUnpacked) {
  const Bytes object = build({});
  const Bytes inner = buildBundle({{kHost, {}}, {kDevice, object}});
  for (unsigned version : {1, 2, 3})
    for (unsigned method : {0, 1}) {
      Bytes file = compressed(inner, version, method);
      auto unpacked = unpackCompressedBundle(file);
      ASSERT_TRUE(unpacked) << version << " " << method << ": " << unpacked.error().message;
      EXPECT_EQ(*unpacked, inner);
      auto images = findDeviceImages(file);
      ASSERT_TRUE(images) << images.error().message;
      ASSERT_EQ(images->size(), 1u);
      EXPECT_EQ((*images)[0].id, kDevice);
      EXPECT_EQ(Bytes((*images)[0].bytes.begin(), (*images)[0].bytes.end()), object);
    }
}

// A hand-made bundle as HIP 6.4 and 7 read them: the SPIR-V is for every GPU that has no code of its own.
TEST(Bundle, SpirvIsNamedAndHidesNothing) {
  const Bytes object = build({}), spirv = {0x03, 0x02, 0x23, 0x07, 0, 5, 1, 0};
  const std::string spirvId = "hip-spirv64-amd-amdhsa--amdgcnspirv";
  const Bytes bundle = buildBundle({{kHost, {}}, {spirvId, spirv}, {kDevice, object}});
  for (const Bytes &file : {bundle, compressed(bundle, 2, 1), compressed(bundle, 3, 0)}) {
    auto images = findDeviceImages(file);
    ASSERT_TRUE(images) << images.error().message;
    ASSERT_EQ(images->size(), 2u);
    EXPECT_EQ((*images)[0].id, spirvId);
    EXPECT_TRUE((*images)[0].bytes.empty());
    EXPECT_EQ((*images)[0].note.find("SPIR-V"), 0u) << (*images)[0].note;
    EXPECT_EQ((*images)[1].id, kDevice);
    EXPECT_TRUE(hasBitcode((*images)[1].bytes));
  }
  auto alone = findDeviceImages(buildBundle({{kHost, {}}, {spirvId, spirv}}));
  ASSERT_TRUE(alone) << alone.error().message;
  EXPECT_EQ(alone->size(), 1u);
}

TEST(CompressedBundle, SeveralInOneFatBinary) {
  const Bytes one = compressed(buildBundle({{kDevice, build({})}}), 2, 1);
  const Bytes file = buildHostFile({one, one});
  auto images = findDeviceImages(file);
  ASSERT_TRUE(images) << images.error().message;
  ASSERT_EQ(images->size(), 2u);
  EXPECT_TRUE(hasBitcode((*images)[0].bytes));
  EXPECT_TRUE(hasBitcode((*images)[1].bytes));
}

TEST(CompressedBundle, DamageIsAnErrorNeverACrash) {
  const Bytes inner = buildBundle({{kDevice, build({})}});
  for (unsigned method : {0, 1}) {
    const Bytes file = compressed(inner, 2, method);
    for (size_t size = 0; size < file.size(); size += 7)
      EXPECT_FALSE(unpackCompressedBundle(ByteView(file).first(size))) << size;
    for (size_t at = 4; at < file.size(); ++at) {
      Bytes changed = file;
      changed[at] ^= 0x40;
      if (auto out = unpackCompressedBundle(changed)) {
        EXPECT_EQ(out->size(), inner.size());
      }
      (void)findDeviceImages(changed);
    }
    Bytes liar = file;
    liar[12] += 1; // one byte more than there is
    EXPECT_FALSE(unpackCompressedBundle(liar));
    liar[12] -= 2; // one less
    EXPECT_FALSE(unpackCompressedBundle(liar));
  }
  Bytes huge = compressed(inner, 3, 1);
  huge[4 + 2 + 2 + 8 + 5] = 0xff; // petabytes
  ASSERT_FALSE(unpackCompressedBundle(huge));
  EXPECT_NE(unpackCompressedBundle(huge).error().message.find("claims to hold"), std::string::npos);
  Bytes other = compressed(inner, 2, 1);
  other[6] = 7;
  EXPECT_EQ(unpackCompressedBundle(other).error().code, ErrorCode::unsupported);
}

// Each may claim no more than can be in its bytes; two sections over the same bytes would have that
// twice.
TEST(CompressedBundle, SectionsOverEachOtherHaveOneBudget) {
  Bytes noise(8192); // does not get smaller
  std::mt19937 random(1);
  for (uint8_t &byte : noise)
    byte = uint8_t(random());
  BuildObject carrier;
  carrier.bitcode = compressed(noise, 2, 1);
  const uint32_t claim = uint32_t((carrier.bitcode.size() - 24) * kMaxUnpackRatio);
  std::memcpy(&carrier.bitcode[12], &claim, sizeof(claim));
  carrier.bitcodeSection = ".hip_fatbin";
  carrier.extraSections = {{".hip_fatbin", Bytes{1}}};
  Bytes file = build(carrier);
  file[18] = 62;
  ASSERT_LT(file.size(), 2 * (carrier.bitcode.size() - 24)) << "the budget would do for both";
  auto elf = Elf::parse(file);
  ASSERT_TRUE(elf);
  std::vector<size_t> headers;
  for (size_t i = 0; i < elf->sections().size(); ++i)
    if (elf->sections()[i].name == ".hip_fatbin")
      headers.push_back(elf->header().e_shoff + i * sizeof(Elf64_Shdr));
  ASSERT_EQ(headers.size(), 2u);
  std::copy_n(file.begin() + headers[0], sizeof(Elf64_Shdr), file.begin() + headers[1]);
  auto images = findDeviceImages(file);
  ASSERT_TRUE(images) << images.error().message;
  ASSERT_EQ(images->size(), 2u);
  EXPECT_EQ((*images)[0].note.find("too many bytes"), std::string::npos) << (*images)[0].note;
  EXPECT_NE((*images)[1].note.find("too many bytes"), std::string::npos) << (*images)[1].note;
}
