// meld config: every setting, its value, and where it comes from.
#include "runtime/cache/remote/url.h"
#include "shim/cli/cli.h"

namespace meld::cli {
namespace {

const char *originName(SettingOrigin origin) {
  switch (origin) {
  case SettingOrigin::fallback:
    return "default";
  case SettingOrigin::environment:
    return "environment";
  case SettingOrigin::rejected:
    return "default (bad value ignored)";
  }
  return "?";
}

std::string lowered(std::string text) {
  for (char &c : text)
    c = c >= 'A' && c <= 'Z' ? char(c + 32) : c;
  return text;
}

/// What people paste into reports: without the password of a URL.
std::string shownValue(const SettingValue &v) {
  return v.name == std::string_view("MELD_CACHE_REMOTE") ? shownUrl(v.value) : v.value;
}

/// docs/settings.md
std::string markdown(const LoadedSettings &loaded) {
  std::string out = "# Settings\n\nEnvironment variables; `meld config` shows the values in force. "
                    "This page is written by "
                    "`meld config --markdown`.\nA bad value gives one warning and the default, an "
                    "unknown `MELD_` name one "
                    "warning with a suggestion. Flags take\n0/1, on/off, true/false, yes/no; sizes "
                    "take K, M, G, T.\n\n"
                    "| Variable | Kind | Default | Meaning |\n|---|---|---|---|\n";
  for (const SettingValue &v : loaded.values)
    out += std::string("| `") + v.name + "` | " + lowered(v.kind) +
           (*v.allowed ? ": " + std::string(v.allowed) : std::string()) + " | " +
           (*v.fallback ? "`" + std::string(v.fallback) + "`" : std::string()) + " | " + v.help +
           " |\n";
  return out;
}

int config(const Cli &cli, bool changedOnly, bool asMarkdown) {
  const LoadedSettings &loaded = settings();
  if (asMarkdown) {
    print(markdown(loaded));
    return kOk;
  }
  Json out = Json::array();
  std::vector<std::vector<std::string>> rows = {
      {"SETTING", "VALUE", "ORIGIN", "DEFAULT", "MEANING"}};
  for (const SettingValue &v : loaded.values) {
    if (changedOnly && v.origin == SettingOrigin::fallback)
      continue;
    out.push_back({{"name", v.name},
                   {"kind", lowered(v.kind)},
                   {"value", shownValue(v)},
                   {"origin", v.origin == SettingOrigin::environment ? "environment" : "default"},
                   {"rejected", v.origin == SettingOrigin::rejected},
                   {"default", v.fallback},
                   {"allowed", v.allowed},
                   {"help", v.help}});
    rows.push_back({v.name, v.value.empty() ? "-" : shownValue(v), originName(v.origin),
                    *v.fallback ? v.fallback : "-", v.help});
  }
  for (const std::string &warning : loaded.gpuWarnings) // settings() has said the others
    complain(warning);
  const std::vector<std::string> warnings = loaded.allWarnings();
  cli.json() ? print(Json{{"settings", out}, {"warnings", warnings}}) : print(table(rows));
  return warnings.empty() ? kOk : kProblem;
}

} // namespace

void addConfig(Cli &cli) {
  CLI::App *sub = cli.verb("config", "Show every setting: value, default, origin",
                           "  meld config\n"
                           "  MELD_CACHE=off meld config --changed\n"
                           "  meld config --format=json\n");
  auto changed = std::make_shared<bool>(false), asMarkdown = std::make_shared<bool>(false);
  sub->add_flag("--changed", *changed, "Only settings that the environment gives");
  sub->add_flag("--markdown", *asMarkdown, "The table of docs/settings.md");
  sub->callback([&cli, changed, asMarkdown] {
    cli.action = [&cli, changed, asMarkdown] { return config(cli, *changed, *asMarkdown); };
  });
}

} // namespace meld::cli
