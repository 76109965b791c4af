// What our web pages share: one look, and text made safe. The pages are single files: no script, no
// outside resource; they follow the reader's light or dark setting.
#pragma once

#include <string>
#include <string_view>

namespace meld::html {

/// "&" and friends replaced.
inline std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

/// Colours as variables, the frame of a page, tiles, and tables that scroll in themselves where they
/// are wider than the screen.
inline constexpr const char *style = R"(
:root{--ground:#fbfaf7;--ink:#22262b;--quiet:#6d7680;--rule:#dcd8cf;--better:#1f7a5c;--worse:#b4472f;--before:#8a93a0;--card:#fff}
@media(prefers-color-scheme:dark){:root{--ground:#16191d;--ink:#e6e8ea;--quiet:#98a2ad;--rule:#333a42;--better:#4fc39a;--worse:#ef8468;--before:#7b8794;--card:#1d2126}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif;overflow-wrap:break-word}
main{max-width:1180px;margin:0 auto;padding:40px 24px 80px}
h1{font-size:30px;margin:0 0 6px}h2{font-size:22px;margin:60px 0 4px}h3{font-size:18px;margin:44px 0 4px}
p{max-width:70ch;margin:6px 0;color:var(--quiet)}
.tiles{display:flex;flex-wrap:wrap;gap:12px;margin:24px 0}
.tile{background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:12px 18px;min-width:140px}
.tile b{display:block;font-size:28px;font-variant-numeric:tabular-nums}.tile span{color:var(--quiet);font-size:13px}
details{margin-top:12px}summary{cursor:pointer;color:var(--quiet)}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:12.5px;font-variant-numeric:tabular-nums}
th,td{padding:3px 9px;text-align:right;border-bottom:1px solid var(--rule);white-space:nowrap}
@media(max-width:600px){main{padding:24px 14px 60px}h1{font-size:24px}h2{font-size:20px;margin-top:44px}.tile{flex:1 1 100%}}
)";

/// Up to the page's own part.
inline std::string head(std::string_view title, std::string_view ownStyle) {
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta name=\"viewport\" content=\"width=device-width\"><title>" +
         escaped(title) + "</title><style>" + style + std::string(ownStyle) +
         "</style></head><body><main>\n";
}

inline constexpr const char *foot = "</main></body></html>\n";

inline std::string tile(std::string_view value, std::string_view what) {
  return "<div class=\"tile\"><b>" + escaped(value) + "</b><span>" + escaped(what) +
         "</span></div>\n";
}

} // namespace meld::html
