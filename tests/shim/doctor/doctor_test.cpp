// The checks of meld doctor, on machines that are made up: folders that stand for /dev and /proc, files
// whose libraries the build made for this (tests/shim/CMakeLists.txt).
#include "runtime/codeobject/hostfile.h"
#include "runtime/engine/side_bitcode.h"
#include "runtime/host/whole_file.h"
#include "shim/cli/doctor/checks.h"
#include "tests/runtime/cache/scratch.h"

#include <climits>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <set>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

using namespace meld;
using namespace meld::doctor;
using meld::test::Scratch;

namespace {

void touch(const std::string &path, const std::string &text = "") {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

/// The only finding with this name; one with an empty name where there is none or several.
Finding only(const Findings &findings, const std::string &check) {
  Finding found;
  size_t count = 0;
  for (const Finding &finding : findings)
    if (finding.check == check && ++count == 1)
      found = finding;
  return count == 1 ? found : Finding();
}

std::string all(const Findings &findings) {
  std::string out;
  for (const Finding &f : findings)
    out += std::string(healthName(f.health)) + " " + f.check + ": " + f.text + " -> " + f.advice +
           "\n";
  return out;
}

class Doctor : public testing::Test {
protected:
  Doctor() {
    machine.root = scratch.path();
    machine.user = 1000;
    machine.mayUse = [this](const std::string &path) { return usable.count(path) > 0; };
  }
  std::string device(const std::string &name, bool mayUse) {
    const std::string path = scratch.file("dev/" + name);
    touch(path);
    if (mayUse)
      usable.insert(path);
    return path;
  }
  Scratch scratch;
  Machine machine;
  std::set<std::string> usable;
};

} // namespace

TEST_F(Doctor, NoDriver) {
  Finding f = only(checkDevice(machine, true), "GPU driver");
  EXPECT_EQ(f.health, Health::warn);
  EXPECT_NE(f.text.find("software GPU"), std::string::npos) << f.text;
  f = only(checkDevice(machine, false), "GPU driver");
  EXPECT_EQ(f.health, Health::problem) << "there is nothing to run on";
}

TEST_F(Doctor, ContainersWithoutTheDevice) {
  touch(scratch.file(".dockerenv"));
  Finding f = only(checkDevice(machine, true), "GPU driver");
  EXPECT_NE(f.text.find("Docker"), std::string::npos);
  EXPECT_NE(f.advice.find("--device=/dev/kfd"), std::string::npos) << f.advice;
  std::filesystem::remove(scratch.file(".dockerenv"));
  touch(scratch.file("run/.containerenv"));
  EXPECT_NE(only(checkDevice(machine, true), "GPU driver").text.find("Podman"), std::string::npos);
  machine.environment["APPTAINER_CONTAINER"] = "/x.sif";
  EXPECT_NE(only(checkDevice(machine, true), "GPU driver").advice.find("--rocm"),
            std::string::npos);
}

TEST_F(Doctor, NoRightToTheDriverNamesTheGroup) {
  const std::string kfd = device("kfd", false);
  ASSERT_EQ(chown(kfd.c_str(), -1, getgid()), 0);
  Finding f = only(checkDevice(machine, true), "GPU driver");
  EXPECT_EQ(f.health, Health::problem);
  EXPECT_NE(f.advice.find("(" + std::to_string(getgid()) + ")"), std::string::npos) << f.advice;
}

TEST_F(Doctor, RenderNodesCount) {
  device("kfd", true);
  EXPECT_NE(only(checkDevice(machine, true), "GPU driver").text.find("no /dev/dri"),
            std::string::npos);
  device("dri/renderD128", false);
  device("dri/card0", true);
  EXPECT_EQ(only(checkDevice(machine, true), "GPU driver").health, Health::problem)
      << "card0 is no render node";
  device("dri/renderD129", true);
  Finding f = only(checkDevice(machine, true), "GPU driver");
  EXPECT_EQ(f.health, Health::ok);
  EXPECT_NE(f.text.find("1 of 2"), std::string::npos) << f.text;
}

TEST_F(Doctor, BatchSystems) {
  EXPECT_EQ(only(checkBatch(machine), "batch system").text, "none seen");
  machine.environment = {
      {"SLURM_JOB_ID", "17"}, {"SLURM_NTASKS", "64"}, {"SLURM_JOB_NUM_NODES", "8"}};
  EXPECT_EQ(only(checkBatch(machine), "batch system").text, "SLURM, 64 processes on 8 nodes");
  machine.environment = {{"PBS_JOBID", "3"}};
  EXPECT_EQ(only(checkBatch(machine), "batch system").text, "PBS");
}

TEST_F(Doctor, CacheOnAFileServer) {
  CachePlan plan;
  plan.layers.resize(1);
  PlannedLayer &user = plan.layers[0];
  user.folder = scratch.file("cache");
  user.written = true;
  Findings findings = checkCache(plan);
  EXPECT_EQ(only(findings, "cache user").health, Health::ok) << "made when it is needed";
  user.network = true;
  user.why = "NFS";
  findings = checkCache(plan);
  EXPECT_EQ(only(findings, "cache user").health, Health::warn);
  EXPECT_NE(only(findings, "cache user").text.find("(NFS)"), std::string::npos) << all(findings);
  EXPECT_NE(only(findings, "cache user").advice.find("MELD_CACHE_DIR"), std::string::npos);
  user.written = false;
  EXPECT_EQ(only(checkCache(plan), "cache user").health, Health::ok) << "as layers do in a job";
}

TEST_F(Doctor, CacheLayers) {
  CachePlan plan;
  EXPECT_EQ(only(checkCache(plan), "cache").health, Health::warn) << "nothing is kept";
  plan.layers.resize(2);
  plan.layers[0].kind = LayerKind::node;
  plan.layers[0].folder = scratch.file("node");
  plan.layers[0].written = true;
  plan.layers[1].kind = LayerKind::site;
  plan.layers[1].folder = scratch.file("site");
  plan.layers[1].mustBeSigned = true;
  plan.remote = "redis://store";
  plan.warnings = {"the site layer /x is not used"};
  const Findings findings = checkCache(plan);
  EXPECT_NE(only(findings, "cache node").text.find(scratch.file("node")), std::string::npos);
  EXPECT_NE(only(findings, "cache site").text.find("signed entries only"), std::string::npos);
  EXPECT_NE(only(findings, "cache remote").text.find("redis://store, read only"),
            std::string::npos);
  EXPECT_EQ(only(findings, "cache").text, plan.warnings[0]);
}

TEST_F(Doctor, DamagedEntries) {
  CachePlan plan;
  plan.layers.resize(1);
  plan.layers[0].folder = scratch.file("cache");
  plan.layers[0].written = true;
  const std::string key = "ab" + std::string(62, '0');
  touch(scratch.file("cache/v2/a/b/" + key), "not an entry");
  for (const char *folder : {"cache", "cache/v2", "cache/v2/a", "cache/v2/a/b"})
    chmod(scratch.file(folder).c_str(), 0700);
  const Finding f = only(checkCache(plan), "cache user");
  EXPECT_EQ(f.health, Health::problem);
  EXPECT_NE(f.text.find("1 of 1 entries"), std::string::npos) << f.text;
  EXPECT_NE(f.advice.find("meld cache verify"), std::string::npos);
}

TEST_F(Doctor, CacheFoldersThatCannotBe) {
  CachePlan plan;
  plan.layers.resize(1);
  EXPECT_EQ(only(checkCache(plan), "cache user").health, Health::problem);
  const std::string open = plan.layers[0].folder = scratch.file("open");
  mkdir(open.c_str(), 0777);
  chmod(open.c_str(), 0777);
  EXPECT_EQ(only(checkCache(plan), "cache user").health, Health::problem)
      << "anybody could put code there";
}

TEST_F(Doctor, ToolsAndAuditLibraries) {
  EXPECT_EQ(all(checkTools(machine, nullptr)), "ok tools: no profiler, no audit library -> \n");
  touch(scratch.file("tool.so"));
  machine.environment["HSA_TOOLS_LIB"] = scratch.file("tool.so");
  EXPECT_EQ(only(checkTools(machine, nullptr), "HSA_TOOLS_LIB").health, Health::ok);
  machine.environment["HSA_TOOLS_LIB"] += " /nonexistent/tool.so";
  EXPECT_NE(only(checkTools(machine, nullptr), "HSA_TOOLS_LIB").text.find("/nonexistent/tool.so"),
            std::string::npos);
  machine.environment = {{"LD_AUDIT", "audit.so"}, {"LD_PRELOAD", "libc.so.6:/nonexistent/x.so"}};
  EXPECT_EQ(only(checkTools(machine, nullptr), "LD_AUDIT").health, Health::warn);
  EXPECT_NE(only(checkTools(machine, nullptr), "LD_PRELOAD").text.find("/nonexistent/x.so"),
            std::string::npos);
  machine.environment = {{"ROCP_METRICS", "metrics.xml"}};
  EXPECT_EQ(only(checkTools(machine, nullptr), "profiler").health, Health::warn);
}

TEST_F(Doctor, AProfilerThatHidesLibmeld) {
  machine.environment = {{"ROCP_TOOL_LIBRARIES", "librocprofiler-sdk-tool.so"}};
  EXPECT_EQ(only(checkTools(machine, nullptr), "profiler").health, Health::ok);
  machine.environment["HSA_TOOLS_ROCPROFILER_V1_TOOLS"] = "0";
  EXPECT_EQ(only(checkTools(machine, nullptr), "profiler").health, Health::warn);
  // Symbols are the only way left: a program that opens HIP by itself may hide them.
  Closure opens, links;
  links.files.push_back({"libamdhip64.so.5", "/x/libamdhip64.so.5", ""});
  EXPECT_EQ(only(checkTools(machine, &opens), "RTLD_DEEPBIND").health, Health::problem);
  EXPECT_EQ(only(checkTools(machine, &links), "RTLD_DEEPBIND").check, "");
}

TEST_F(Doctor, ProgramsThatCannotBePreloadedInto) {
  EXPECT_EQ(only(checkProgramFile(machine, MELD_STATIC), "program").health, Health::problem);
  EXPECT_NE(only(checkProgramFile(machine, MELD_STATIC), "program").text.find("statically"),
            std::string::npos);
  const std::string script = scratch.file("run.sh");
  touch(script, "#!/bin/sh -e\nexec app\n");
  const Finding f = only(checkProgramFile(machine, script), "program");
  EXPECT_EQ(f.health, Health::warn);
  EXPECT_NE(f.text.find("/bin/sh -e;"), std::string::npos) << f.text;
  EXPECT_EQ(only(checkProgramFile(machine, "/nonexistent"), "program").health, Health::problem);
  EXPECT_EQ(only(checkProgramFile(machine, "/"), "program").health, Health::problem);
  touch(scratch.file("short"), "\x7f"
                               "ELF");
  EXPECT_EQ(only(checkProgramFile(machine, scratch.file("short")), "program").health,
            Health::problem);
  EXPECT_EQ(only(checkProgramFile(machine, "/bin/true"), "program").health, Health::ok);
}

TEST_F(Doctor, RightsThatTakePreloadingAway) {
  const std::string copy = scratch.file("app");
  std::filesystem::copy_file("/bin/true", copy);
  EXPECT_EQ(only(checkProgramFile(machine, copy), "program").health, Health::ok);
  chmod(copy.c_str(), 04755);
  EXPECT_EQ(only(checkProgramFile(machine, copy), "program rights").health,
            geteuid() == machine.user ? Health::ok : Health::problem);
  machine.user = geteuid();
  EXPECT_EQ(only(checkProgramFile(machine, copy), "program").health, Health::ok)
      << "setuid to oneself gives nothing";
  chmod(copy.c_str(), 0755);
  if (geteuid() != 0)
    GTEST_SKIP() << "file capabilities need root";
  vfs_cap_data capability{};
  capability.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE;
  capability.data[0].permitted = 1u << CAP_NET_RAW;
  if (setxattr(copy.c_str(), "security.capability", &capability, sizeof(capability), 0))
    GTEST_SKIP() << "no file capabilities on this file system";
  EXPECT_NE(only(checkProgramFile(machine, copy), "program rights").text.find("capabilities"),
            std::string::npos);
}

// The linker itself is the witness: ldd prints what it loads.
TEST_F(Doctor, LibrariesAreThoseOfTheLinker) {
  for (const char *program : {MELD_ONE_ROCM, MELD_TWO_ROCMS, MELD_MIXED_ROCM, "/bin/ls"}) {
    auto closure = closureOf(machine, program);
    ASSERT_TRUE(closure) << closure.error().message;
    std::set<std::string> ours, linkers;
    for (const LoadedFile &file : closure->files)
      ours.insert(file.path);
    FILE *pipe = popen((std::string("ldd ") + program).c_str(), "r");
    char line[4096];
    while (fgets(line, sizeof(line), pipe))
      if (const char *path = strchr(line, '/')) {
        char real[PATH_MAX];
        ASSERT_TRUE(realpath(std::string(path, strcspn(path, " \n")).c_str(), real)) << line;
        linkers.insert(real);
      }
    pclose(pipe);
    EXPECT_GT(linkers.size(), 1u);
    EXPECT_EQ(ours, linkers) << program;
  }
}

TEST_F(Doctor, LdLibraryPathAndPreloadCount) {
  const std::string folder = scratch.file("lib");
  std::filesystem::create_directories(folder);
  auto before = closureOf(machine, MELD_ONE_ROCM);
  ASSERT_TRUE(before);
  const auto hip =
      std::find_if(before->files.begin(), before->files.end(),
                   [](const LoadedFile &file) { return file.name == "libamdhip64.so.5"; });
  ASSERT_NE(hip, before->files.end());
  std::filesystem::copy_file(hip->path, folder + "/libamdhip64.so.5");
  // MELD_ONE_ROCM has RUNPATH, which comes behind LD_LIBRARY_PATH.
  machine.environment["LD_LIBRARY_PATH"] = "/nonexistent:" + folder;
  machine.environment["LD_PRELOAD"] = "libm.so.6";
  auto after = closureOf(machine, MELD_ONE_ROCM);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->files.front().name, "libm.so.6");
  for (const LoadedFile &file : after->files)
    if (file.name == "libamdhip64.so.5") {
      EXPECT_EQ(file.path, std::filesystem::canonical(folder + "/libamdhip64.so.5"));
    }
}

TEST_F(Doctor, OneRocm) {
  const Findings findings = checkRocm(*closureOf(machine, MELD_ONE_ROCM), "");
  EXPECT_EQ(only(findings, "ROCm versions").health, Health::ok) << all(findings);
}

TEST_F(Doctor, TwoVersionsInOneProcess) {
  const Findings findings = checkRocm(*closureOf(machine, MELD_TWO_ROCMS), "");
  const Finding f = only(findings, "ROCm versions");
  EXPECT_EQ(f.health, Health::problem) << all(findings);
  EXPECT_NE(f.text.find("2 of libamdhip64"), std::string::npos) << f.text;
  EXPECT_EQ(f.details.size(), 2u);
}

TEST_F(Doctor, PartsOfTwoInstallations) {
  const Findings findings = checkRocm(*closureOf(machine, MELD_MIXED_ROCM), "");
  const Finding f = only(findings, "ROCm versions");
  EXPECT_EQ(f.health, Health::warn) << all(findings);
  EXPECT_NE(f.text.find("rocm-5.2.3"), std::string::npos) << f.text;
  EXPECT_NE(f.text.find("rocm-6.0.0"), std::string::npos) << f.text;
}

TEST_F(Doctor, AnotherComgrThanOurs) {
  Closure closure;
  closure.files = {{"libamd_comgr.so.2", "/opt/rocm/lib/libamd_comgr.so.2.4", "/app"}};
  EXPECT_EQ(only(checkRocm(closure, "/usr/lib/libamd_comgr.so.2.4"), "comgr").health, Health::warn);
  EXPECT_EQ(only(checkRocm(closure, "/opt/rocm/lib/libamd_comgr.so.2.4"), "comgr").check, "");
}

TEST_F(Doctor, AMissingLibrary) {
  Closure closure;
  closure.files = {{"libamdhip64.so.9", "", "/app"}, {"gone.so", "", ""}};
  const Findings findings = checkRocm(closure, "");
  EXPECT_NE(all(findings).find("problem libraries: /app needs libamdhip64.so.9"),
            std::string::npos);
  EXPECT_NE(all(findings).find("warn libraries: gone.so in LD_PRELOAD"), std::string::npos);
}

TEST_F(Doctor, WhatAProcessHasMapped) {
  const std::string maps = scratch.file("proc/17/maps");
  auto line = [](const std::string &path) {
    return "7f0000000000-7f0000001000 r-xp 00000000 08:01 42                 " + path + "\n";
  };
  touch(maps, line("/opt/rocm-5.2.3/lib/libamdhip64.so.5") +
                  line("/opt/rocm-5.2.3/lib/libamdhip64.so.5") +
                  line("/opt/rocm-5.2.3/hip/lib/libhsa-runtime64.so.1") + line("[heap]"));
  Findings findings = checkMapped(machine.root, 17, "");
  EXPECT_EQ(only(findings, "process 17").health, Health::problem) << "libmeld.so is not in it";
  EXPECT_EQ(only(findings, "ROCm versions").health, Health::ok)
      << "one installation, whatever the folder in it";
  touch(maps, line("/usr/lib/libmeld/libmeld.so") + line("/opt/rocm-5.2.3/lib/libamdhip64.so.5") +
                  line("/opt/rocm-6.0.0/lib/libamdhip64.so.6"));
  findings = checkMapped(machine.root, 17, "");
  EXPECT_EQ(only(findings, "process 17").health, Health::ok);
  EXPECT_EQ(only(findings, "ROCm versions").health, Health::problem);
  touch(maps, line("/usr/lib/libmeld/libmeld.so") + line("/usr/lib/libamdhip64.so.5 (deleted)"));
  EXPECT_NE(all(checkMapped(machine.root, 17, "")).find("replaced on disk"), std::string::npos);
  EXPECT_EQ(only(checkMapped(machine.root, 18, ""), "process 18").health, Health::problem);
  touch(scratch.file("proc/17/environ"), std::string("LD_AUDIT=x.so\0HOME=/\0", 21));
  EXPECT_EQ(ofProcess(machine.root, 17).variable("LD_AUDIT"), "x.so");
}

TEST_F(Doctor, KernelsWithoutBitcode) {
  const Findings findings = checkKernels(MELD_PLAIN, Closure(), nullptr);
  const Finding f = only(findings, "kernels");
  EXPECT_EQ(f.health, Health::problem) << all(findings);
  EXPECT_NE(f.text.find("saxpy(float, float const*, float*, int)"), std::string::npos) << f.text;
  EXPECT_NE(f.text.find("no bitcode"), std::string::npos) << f.text;
  EXPECT_NE(f.advice.find("-fembed-bitcode=all"), std::string::npos) << f.advice;
  for (const auto &kernel : f.details)
    EXPECT_FALSE(kernel["ir"]);
}

TEST_F(Doctor, FoldersOfSideBitcode) {
  EXPECT_EQ(checkSideBitcode("").size(), 0u);
  EXPECT_EQ(only(checkSideBitcode(":"), "MELD_BITCODE_PATH").health, Health::warn);
  const std::string good = scratch.file("good"), odd = scratch.file("odd"),
                    none = scratch.file("none");
  touch(good + "/" + std::string(64, 'a') + ".bc");
  touch(good + "/" + std::string(64, '0') + ".bc");
  touch(good + "/notes.txt");
  touch(odd + "/kernel.bc");
  touch(odd + "/" + std::string(64, 'A') + ".bc"); // meld inspect prints small letters
  touch(scratch.file("file"));
  const Findings findings =
      checkSideBitcode(good + "::" + odd + ":" + none + ":" + scratch.file("file"));
  ASSERT_EQ(findings.size(), 4u) << all(findings);
  EXPECT_EQ(findings[0].health, Health::ok);
  EXPECT_NE(findings[0].text.find(good + ": 2 files"), std::string::npos) << findings[0].text;
  EXPECT_EQ(findings[1].health, Health::warn);
  EXPECT_NE(findings[1].text.find(": 0 files HASH.bc; 2 .bc with other names"), std::string::npos)
      << findings[1].text;
  EXPECT_NE(findings[1].advice.find("meld inspect"), std::string::npos);
  EXPECT_EQ(findings[2].health, Health::warn);
  EXPECT_NE(findings[2].text.find("No such file or directory"), std::string::npos);
  EXPECT_EQ(findings[3].health, Health::warn);
  EXPECT_NE(findings[3].text.find("Not a directory"), std::string::npos);
}

TEST_F(Doctor, KernelsWithBitcodeBeside) {
  const Bytes bytes = readWholeFile(MELD_PLAIN).value_or(Bytes());
  const auto images = findDeviceImages(bytes);
  ASSERT_TRUE(images && !images->empty());
  const std::string folder = scratch.file("side");
  const std::string file = folder + "/" + sideBitcodeHash((*images)[0].bytes) + ".bc";
  touch(folder + "/" + std::string(64, '0') + ".bc", "BC\xc0\xde of something else");

  Findings findings = checkKernels(MELD_PLAIN, Closure(), nullptr, folder);
  EXPECT_EQ(only(findings, "MELD_BITCODE_PATH").health, Health::warn) << all(findings);
  EXPECT_NE(only(findings, "MELD_BITCODE_PATH").text.find("0 of "), std::string::npos);
  EXPECT_EQ(only(findings, "kernels").health, Health::problem);

  touch(file, "BC\xc0\xde");
  findings = checkKernels(MELD_PLAIN, Closure(), nullptr, folder);
  EXPECT_EQ(only(findings, "MELD_BITCODE_PATH").health, Health::ok) << all(findings);
  EXPECT_NE(only(findings, "MELD_BITCODE_PATH").text.find("1 of "), std::string::npos);
  EXPECT_EQ(only(findings, "kernels").health, Health::ok);

  touch(file, "text");
  findings = checkKernels(MELD_PLAIN, Closure(), nullptr, folder);
  EXPECT_EQ(only(findings, "kernels").health, Health::problem) << all(findings);
  EXPECT_NE(only(findings, "kernels").text.find(file + ": no LLVM bitcode at offset 0x0"),
            std::string::npos)
      << all(findings);
}

TEST_F(Doctor, KernelsOfLibraries) {
  Closure closure;
  closure.files = {{"libplain.so", MELD_PLAIN, "/app"},
                   {"libc.so.6", "/lib/x86_64-linux-gnu/libc.so.6", ""}};
  const Findings findings = checkKernels(MELD_SAMPLE, closure, nullptr);
  EXPECT_EQ(findings.size(), 3u) << all(findings); // two targets of the program, one of the library
  EXPECT_EQ(findings[0].health, Health::ok);
  EXPECT_EQ(findings[2].health, Health::warn) << "a part of the program";
  EXPECT_NE(findings[2].text.find(MELD_PLAIN), std::string::npos);
}

TEST_F(Doctor, NoDeviceCode) {
  EXPECT_NE(all(checkKernels("/bin/true", Closure(), nullptr)).find("not linked with HIP"),
            std::string::npos);
  Closure hip;
  hip.files = {{"libamdhip64.so.5", "/x/libamdhip64.so.5", "/bin/true"}};
  EXPECT_NE(all(checkKernels("/bin/true", hip, nullptr)).find("hiprtc"), std::string::npos);
}
