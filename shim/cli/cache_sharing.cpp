// meld cache keygen, sign, push, pull: a cache that many people and nodes use.
#include "runtime/cache/remote/process.h"
#include "runtime/cache/signing.h"
#include "runtime/cache/transfer.h"
#include "runtime/engine/identity.h"
#include "runtime/host/whole_file.h"
#include "shim/cli/cache_layers.h"
#include "shim/cli/launch.h"
#include "shim/cli/progress.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace meld::cli {
namespace {

struct SharingOptions {
  std::string layer = "user", key, file, name, remote, trust;
  bool dryRun = false;
};

/// Never over a file that is there: it may be the only copy of a key.
Result<void> writeNew(const std::string &path, const std::string &text, mode_t mode) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file)
    return fail(ErrorCode::io, errnoText(path, errno));
  const ssize_t written = ::write(file.get(), text.data(), text.size());
  const int error = written == ssize_t(text.size()) ? 0 : written < 0 ? errno : ENOSPC;
  if (const int closing = file.close(); error || closing)
    return fail(ErrorCode::io, errnoText("writing " + path, error ? error : closing));
  return {};
}

int keygen(const Cli &cli, const SharingOptions &o) {
  auto key = SigningKey::make();
  if (!key)
    return complain("cache keygen: " + key.error().message);
  const std::string open = o.file + ".pub";
  const size_t slash = o.file.rfind('/');
  const std::string name =
      !o.name.empty() ? o.name : o.file.substr(slash == std::string::npos ? 0 : slash + 1);
  if (auto ok = writeNew(o.file, key->secretText(), 0600); !ok)
    return complain("cache keygen: " + ok.error().message);
  if (auto ok = writeNew(open, key->publicText(name), 0644); !ok) {
    ::unlink(
        o.file.c_str()); // ours, just made: half a pair would be in the way of the next attempt
    return complain("cache keygen: " + ok.error().message);
  }
  if (cli.json())
    print(Json{{"secret", o.file}, {"public", open}, {"id", hexOf(idOf(key->publicKey()))}});
  else
    print(o.file + " signs (meld cache sign --key), keep it to yourself\n" + open +
          " is for everybody: MELD_CACHE_TRUST=" + absolutePath(open) + "\n");
  return kOk;
}

Result<SigningKey> readSigningKey(const std::string &path) {
  struct stat info;
  if (!::stat(path.c_str(), &info) && (info.st_mode & (S_IRWXG | S_IRWXO)))
    return fail(ErrorCode::badInput, path + " can be read by others (chmod 600)");
  const auto bytes = MELD_TRY(readWholeFile(path));
  auto key = SigningKey::parse({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  if (!key)
    return fail(key.error().code, path + ": " + key.error().message);
  return key;
}

int sign(const Cli &cli, const SharingOptions &o) {
  auto key = readSigningKey(o.key);
  if (!key)
    return complain("cache sign: " + key.error().message);
  auto layer = openLayer(o.layer, /*write=*/true);
  auto files =
      layer ? (*layer)->list() : Result<std::vector<CacheFile>>(tl::unexpected(layer.error()));
  if (!files)
    return complain("cache sign: " + files.error().message);
  const KeyId id = idOf(key->publicKey());
  size_t done = 0, added = 0, before = 0;
  Json problems = Json::array();
  {
    Progress progress("signing");
    for (const CacheFile &one : *files) {
      progress.show(done++, files->size());
      if (one.temporary)
        continue;
      const auto file = (*layer)->file(one.name);
      const auto seal =
          file ? sealOf(*file) : Result<std::optional<Seal>>(tl::unexpected(file.error()));
      if (!file || !seal) {
        if (!file && file.error().code == ErrorCode::notFound)
          continue;
        problems.push_back(
            {{"key", one.name}, {"problem", (file ? seal.error() : file.error()).message}});
        continue;
      }
      auto made = key->sign(*file);
      if (*seal && made &&
          *made == *file) { // the signature of a key for an entry is always the same
        ++before;
        continue;
      }
      if (!made || (!o.dryRun && !(*layer)->storeFile(*CacheKey::fromHex(one.name), *made))) {
        problems.push_back(
            {{"key", one.name}, {"problem", made ? "not written" : made.error().message}});
        continue;
      }
      ++added;
    }
  }
  if (cli.json()) {
    print(Json{{"key", hexOf(id)},
               {"signed", added},
               {"signed_before", before},
               {"dry_run", o.dryRun},
               {"problems", problems}});
  } else {
    print((o.dryRun ? "would sign " : "signed ") + std::to_string(added) + " entries, " +
          std::to_string(before) + " had this signature\n");
    for (const Json &problem : problems)
      complain(jsonText(problem, "key") + ": " + jsonText(problem, "problem"));
  }
  return problems.empty() ? kOk : kProblem;
}

enum class Direction { push, pull };

int transfer(const Cli &cli, const SharingOptions &o, Direction direction) {
  const std::string verb = direction == Direction::push ? "cache push: " : "cache pull: ";
  const std::string url = o.remote.empty() ? settings().settings.cacheRemote : o.remote;
  if (url.empty())
    return complain(verb + "no remote: --remote URL, or MELD_CACHE_REMOTE", kUsage);
  auto trusted = trustedKeys(o.trust);
  if (!trusted)
    return complain(verb + trusted.error().message);
  auto layer = openLayer(o.layer, /*write=*/direction == Direction::pull);
  if (!layer)
    return complain(verb + layer.error().message);
  RemoteLimits limits; // nobody waits here but who asked for it
  limits.connect = std::chrono::seconds(10);
  limits.request = std::chrono::seconds(60);
  auto remote = openRemoteProcess(folderOf(findInstall().libmeld), url, limits);
  if (!remote)
    return complain(verb + remote.error().message);
  Result<Transferred> result;
  {
    Progress progress(direction == Direction::push ? "pushing" : "pulling");
    TransferWish wish;
    wish.trusted = trusted->get();
    wish.dryRun = o.dryRun;
    wish.progress = [&](size_t done, size_t all) { progress.show(done, all); };
    result = direction == Direction::push ? pushEntries(**layer, **remote, wish)
                                          : pullEntries(**remote, **layer, wish);
  }
  if (!result)
    return complain(verb + result.error().message);
  const bool fine = result->problems.empty() && !result->broken;
  if (cli.json()) {
    print(Json{{"moved", result->moved},
               {"there", result->there},
               {"bytes", result->bytes},
               {"measurements_left_out", result->other},
               {"dry_run", o.dryRun},
               {"problems", result->problems},
               {"error", result->broken ? Json(result->broken->message) : Json(nullptr)}});
    return fine ? kOk : kProblem;
  }
  print((o.dryRun ? "would move " : "moved ") + std::to_string(result->moved) + " entries, " +
        humanSize(result->bytes) + "; " + std::to_string(result->there) + " were there\n");
  for (const std::string &problem : result->problems)
    complain(problem);
  if (result->broken)
    complain(verb + result->broken->message + "; the same command goes on from here");
  return fine ? kOk : kProblem;
}

} // namespace

void addCacheSharing(Cli &cli, CLI::App *cache) {
  auto o = std::make_shared<SharingOptions>();
  auto add = [&](const char *name, const char *help, const char *examples,
                 std::function<int()> work) {
    CLI::App *sub = cli.verb(name, help, examples, cache);
    sub->callback([&cli, work = std::move(work)] { cli.action = work; });
    return sub;
  };
  CLI::App *sub =
      add("keygen", "Make a key that signs entries, and its public part for MELD_CACHE_TRUST",
          "  meld cache keygen ~/meld-site\n", [&cli, o] { return keygen(cli, *o); });
  sub->add_option("file", o->file, "Where the secret key goes; the public one goes to FILE.pub")
      ->required();
  sub->add_option("--name", o->name, "Whose key it is, for messages (default: the file's name)");

  sub = add("sign", "Sign every entry of a layer",
            "  meld cache sign --key ~/meld-site --layer /apps/meld/cache\n",
            [&cli, o] { return sign(cli, *o); });
  sub->add_option("--key", o->key, "File of meld cache keygen")->required()->option_text("FILE");
  addLayerOption(sub, o->layer);
  sub->add_flag("--dry-run", o->dryRun, "Only say what would be signed");

  for (const auto &[name, help, direction] :
       {std::tuple{"push", "Copy a layer's entries to a remote store; what is there is left out",
                   Direction::push},
        {"pull", "Copy what was pushed to a remote store into a layer; what is there is left out",
         Direction::pull}}) {
    sub = add(name, help,
              direction == Direction::push
                  ? "  meld cache push --remote redis://cache.site:6379 --layer /apps/meld/cache\n"
                  : "  meld cache pull --remote https://cache.site/meld\n",
              [&cli, o, direction = direction] { return transfer(cli, *o, direction); });
    addLayerOption(sub, o->layer);
    sub->add_option("--remote", o->remote, "The store (default: MELD_CACHE_REMOTE)")
        ->option_text("URL");
    sub->add_option("--trust", o->trust,
                    "Only entries that one of these public keys has signed (default: "
                    "MELD_CACHE_TRUST)")
        ->option_text("FILES");
    sub->add_flag("--dry-run", o->dryRun, "Only say what would be moved");
  }
}

} // namespace meld::cli
