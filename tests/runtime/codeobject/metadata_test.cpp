#include "tests/runtime/codeobject/builder.h"

#include <functional>
#include <gtest/gtest.h>

using namespace meld;
using namespace meld::test;
using Json = nlohmann::json;

namespace {

Result<CodeObjectMetadata> parse(const Json &json) {
  Bytes bytes = Json::to_msgpack(json);
  return parseMetadata(bytes);
}

} // namespace

TEST(Metadata, ReadsEveryField) {
  BuildObject object;
  BuildKernel &k = object.kernels[0];
  k.name = "k";
  k.kernargSize = 24;
  k.kernargAlign = 16;
  k.group = 1024;
  k.priv = 64;
  k.vgprs = 40;
  k.sgprs = 30;
  k.agprs = 4;
  k.wave = 32;
  k.maxWorkgroup = 512;
  k.dynamicStack = true;
  k.reqd = {8, 8, 2};
  k.args.push_back({16, 8, "hidden_multigrid_sync_arg", "global"});
  auto metadata = parse(metadataOf(object));
  ASSERT_TRUE(metadata) << metadata.error().message;
  ASSERT_EQ(metadata->kernels.size(), 1u);
  const KernelMetadata &m = metadata->kernels[0];
  EXPECT_EQ(m.name, "k");
  EXPECT_EQ(m.symbol, "k.kd");
  EXPECT_EQ(m.kernargSize, 24u);
  EXPECT_EQ(m.kernargAlign, 16u);
  EXPECT_EQ(m.groupSize, 1024u);
  EXPECT_EQ(m.privateSize, 64u);
  EXPECT_EQ(m.vgprs, 40u);
  EXPECT_EQ(m.sgprs, 30u);
  EXPECT_EQ(m.agprs, 4u);
  EXPECT_EQ(m.wavefrontSize, 32u);
  EXPECT_EQ(m.maxFlatWorkgroupSize, 512u);
  EXPECT_TRUE(m.usesDynamicStack);
  EXPECT_TRUE(m.cooperative);
  ASSERT_TRUE(m.reqdWorkgroupSize);
  EXPECT_EQ((*m.reqdWorkgroupSize)[2], 2u);
  ASSERT_EQ(m.args.size(), 3u);
  EXPECT_FALSE(m.args[0].hidden());
  EXPECT_TRUE(m.args[2].hidden());
}

TEST(Metadata, MissingRequiredKeyIsNamed) {
  for (const char *key :
       {".name", ".symbol", ".kernarg_segment_size", ".kernarg_segment_align",
        ".group_segment_fixed_size", ".private_segment_fixed_size", ".wavefront_size",
        ".sgpr_count", ".vgpr_count", ".max_flat_workgroup_size"}) {
    Json json = metadataOf(BuildObject{});
    json["amdhsa.kernels"][0].erase(key);
    auto metadata = parse(json);
    ASSERT_FALSE(metadata) << key;
    EXPECT_NE(metadata.error().message.find(key), std::string::npos) << metadata.error().message;
  }
}

TEST(Metadata, WrongTypesAreErrors) {
  Json json = metadataOf(BuildObject{});
  json["amdhsa.kernels"][0][".vgpr_count"] = "eight";
  EXPECT_FALSE(parse(json));
  json = metadataOf(BuildObject{});
  json["amdhsa.kernels"][0][".vgpr_count"] = -1;
  EXPECT_FALSE(parse(json));
  json = metadataOf(BuildObject{});
  json["amdhsa.kernels"] = 3;
  EXPECT_FALSE(parse(json));
  json = metadataOf(BuildObject{});
  json["amdhsa.kernels"][0][".reqd_workgroup_size"] = {1, 2};
  EXPECT_FALSE(parse(json));
  EXPECT_FALSE(parse(Json::array()));
}

TEST(Metadata, ErrorsOfArgumentsNameKernelArgumentAndKey) {
  auto messageWith = [](const std::function<void(Json &)> &change) -> std::string {
    Json json = metadataOf(BuildObject{});
    change(json["amdhsa.kernels"][0][".args"]);
    auto metadata = parse(json);
    return metadata ? std::string() : metadata.error().message;
  };
  EXPECT_EQ(messageWith([](Json &args) { args[1].erase(".size"); }),
            "metadata of kernel 0 (kernel): argument 1: .size is missing");
  EXPECT_EQ(messageWith([](Json &args) { args[1][".value_kind"] = 7; }),
            "metadata of kernel 0 (kernel): argument 1: .value_kind is not a string");
  EXPECT_EQ(messageWith([](Json &args) { args[0][".offset"] = Json::array({0}); }),
            "metadata of kernel 0 (kernel): argument 0: .offset is not an unsigned number");
  EXPECT_EQ(messageWith([](Json &args) { args[0] = "x"; }),
            "metadata of kernel 0 (kernel): argument 0 is not a map");
  EXPECT_EQ(messageWith([](Json &args) { args = Json::object(); }),
            "metadata of kernel 0: .args is not an array");
}

TEST(Metadata, WhatIsInsideUnknownKeysIsNotRead) {
  Json json = metadataOf(BuildObject{});
  auto plain = parse(json);
  ASSERT_TRUE(plain) << plain.error().message;
  const Json trap = {{".name", "other"},
                     {".size", 77},
                     {".args", Json::array({{{".offset", 1}}, "x"})},
                     {"amdhsa.kernels", Json::array({3})},
                     {"amdhsa.version", Json::array({9, 9})}};
  json["amdhsa.printf"] = trap;
  json["amdhsa.kernels"][0][".unknown"] = Json::array({trap, Json::array({trap})});
  json["amdhsa.kernels"][0][".args"][0][".unknown"] = trap;
  auto metadata = parse(json);
  ASSERT_TRUE(metadata) << metadata.error().message;
  EXPECT_EQ(metadata->versionMajor, plain->versionMajor);
  ASSERT_EQ(metadata->kernels.size(), 1u);
  EXPECT_EQ(metadata->kernels[0].name, "kernel");
  EXPECT_EQ(metadata->kernels[0].args, plain->kernels[0].args);
}

TEST(Metadata, EveryTruncationIsAnError) {
  Bytes bytes = Json::to_msgpack(metadataOf(BuildObject{}));
  ASSERT_TRUE(parseMetadata(bytes));
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(parseMetadata(ByteView(bytes).first(size))) << size;
  bytes.push_back(0xc0);
  EXPECT_FALSE(parseMetadata(bytes)) << "bytes after the value";
}

TEST(Metadata, EveryFormatOfMessagePackIsSkipped) {
  Json json = {{"nil", nullptr},
               {"yes", true},
               {"no", false},
               {"fix", 5},
               {"neg", -3},
               {"u8", 200},
               {"u16", 60000},
               {"u32", 4000000000u},
               {"u64", uint64_t(1) << 60},
               {"i8", -100},
               {"i16", -30000},
               {"i32", -2000000000},
               {"i64", -(int64_t(1) << 60)},
               {"f64", 1.5},
               {"s8", std::string(100, 'x')},
               {"s16", std::string(1000, 'x')},
               {"s32", std::string(70000, 'x')},
               {"bin", Json::binary({1, 2, 3})},
               {"ext", Json::binary({1, 2, 3, 4}, 7)},
               {"arr", std::vector<int>(20, 1)},
               {"big", std::vector<int>(70000, 1)}};
  for (int i = 0; i < 20; ++i)
    json["map"]["k" + std::to_string(i)] = i;
  Json metadata = metadataOf(BuildObject{});
  metadata["unknown"] = json;
  auto ok = parse(metadata);
  EXPECT_TRUE(ok) << ok.error().message;
}

TEST(Metadata, ValuesThatWouldHurtARecursiveReaderAreRefused) {
  auto errorOf = [](std::initializer_list<uint8_t> value, size_t repeated = 0, uint8_t byte = 0) {
    Bytes bytes{0x81, 0xa1, 'x'}; // a map: "x" is
    bytes.insert(bytes.end(), repeated, byte);
    bytes.insert(bytes.end(), value);
    auto read = parseMetadata(bytes);
    return read ? std::string() : read.error().message;
  };
  const std::string noVersion = "metadata: amdhsa.version is not a pair of numbers";
  EXPECT_EQ(errorOf({0xc0}), noVersion);           // a value like any other
  EXPECT_EQ(errorOf({0xc0}, 31, 0x91), noVersion); // arrays in arrays
  EXPECT_EQ(errorOf({0xc0}, 32, 0x91), "metadata: nested deeper than 32");
  EXPECT_EQ(errorOf({0xc0}, 200000, 0x91), "metadata: nested deeper than 32");
  const std::string cut = "metadata: no MessagePack at byte 9";
  EXPECT_EQ(errorOf({0xdd, 0xff, 0xff, 0xff, 0xff}), cut); // 4 billion elements
  EXPECT_EQ(errorOf({0xdb, 0xff, 0xff, 0xff, 0xff}), cut); // a string of 4 GB
  EXPECT_EQ(errorOf({0xc1}), "metadata: no MessagePack at byte 4");
  EXPECT_EQ(errorOf({0x81, 0x01, 0x01}), "metadata: no MessagePack at byte 5"); // a key
}

// As comgr merges them (amd/comgr/src/comgr-metadata.cpp), which HIP asks.
namespace {

BuildObject oneKernel(const std::string &name) {
  BuildObject object;
  object.kernels[0].name = name;
  return object;
}

CodeObjectMetadata notesOf(const BuildObject &object) {
  const Bytes bytes = build(object);
  auto parsed = CodeObject::parse(bytes);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return parsed ? parsed->metadata : CodeObjectMetadata{};
}

} // namespace

TEST(MetadataNotes, TheKernelsOfAll) {
  BuildObject object = oneKernel("a");
  BuildObject two = oneKernel("b");
  two.kernels.push_back(two.kernels[0]);
  two.kernels[1].name = "c";
  two.kernels[1].vgprs = 99;
  object.furtherNotes = {metadataOf(two), metadataOf(oneKernel("d"))};
  const CodeObjectMetadata all = notesOf(object);
  EXPECT_EQ(all.unmerged, "");
  ASSERT_EQ(all.kernels.size(), 4u);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(all.kernels[i].name, std::string(1, char('a' + i)));
  EXPECT_EQ(all.find("c")->vgprs, 99u);
}

TEST(MetadataNotes, AKernelOfSeveralIsThereOnce) {
  BuildObject object = oneKernel("a");
  object.furtherNotes = {metadataOf(oneKernel("a"))};
  EXPECT_EQ(notesOf(object).kernels.size(), 1u);
  EXPECT_EQ(notesOf(object).unmerged, "");
  BuildObject other = oneKernel("a");
  other.kernels[0].args[1].size = 8;
  object.furtherNotes = {metadataOf(other)};
  EXPECT_NE(notesOf(object).unmerged.find("kernel a with other arguments"), std::string::npos);
}

TEST(MetadataNotes, ThoseThatComgrLeavesOutAreNamed) {
  BuildObject object = oneKernel("a");
  BuildObject newer = oneKernel("b");
  newer.versionMinor = 2;
  object.furtherNotes = {metadataOf(newer), metadataOf(oneKernel("c"))};
  CodeObjectMetadata all = notesOf(object);
  EXPECT_NE(all.unmerged.find("another version"), std::string::npos) << all.unmerged;
  EXPECT_TRUE(all.find("c"));
  EXPECT_FALSE(all.find("b"));

  Json printing = metadataOf(oneKernel("b"));
  printing["amdhsa.printf"] = {"1:1:4:%d"};
  object.furtherNotes = {printing};
  EXPECT_EQ(notesOf(object).unmerged, "");
  EXPECT_TRUE(notesOf(object).printf);
  object.furtherNotes.push_back(printing);
  EXPECT_NE(notesOf(object).unmerged.find("printf"), std::string::npos);
}

TEST(MetadataNotes, ABrokenOneIsNamedByItsPlace) {
  BuildObject object = oneKernel("a");
  object.furtherNotes = {Json::array()};
  const Bytes bytes = build(object);
  const auto parsed = CodeObject::parse(bytes);
  ASSERT_FALSE(parsed);
  EXPECT_NE(parsed.error().message.find("note at offset 0x"), std::string::npos)
      << parsed.error().message;
}
