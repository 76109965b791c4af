// A web page of ours in a real browser, at a width that a reader has: what sticks out of it.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <unistd.h>

namespace meld::test {

struct Shown {
  int width = 0;        ///< of the page, as laid out; 0: the browser said nothing
  int contentWidth = 0; ///< more than `width`: it can be scrolled sideways
  nlohmann::json cut;   ///< elements, and texts of drawings, that do not fit
  int elements = 0;     ///< in the page
  std::string log;      ///< what the browser wrote, with the page's console
};

/// Lays `html` out `width` pixels wide, with all that is folded away opened when `open`.
inline Shown show(const std::string &browser, const std::string &html, int width, bool open) {
  namespace fs = std::filesystem;
  std::string pattern = fs::temp_directory_path() / "meld-page-XXXXXX";
  if (!mkdtemp(pattern.data()))
    return {};
  const fs::path folder = pattern;
  // What an ancestor lets the reader scroll is not cut off; a drawing clips its texts.
  const std::string measure =
      std::string("<script>addEventListener('load',()=>{") +
      (open ? "document.querySelectorAll('details').forEach(d=>d.open=true);" : "") +
      R"(
const root=document.documentElement,width=root.clientWidth,cut=[];
const say=(e,r)=>cut.push(e.tagName+'.'+e.getAttribute('class')+' '+(e.textContent||'').slice(0,40)+' '+r.left+'..'+r.right);
for(const e of document.querySelectorAll('body *')){
  const r=e.getBoundingClientRect();
  if(!r.width||!r.height||e.tagName=='SCRIPT')continue;
  let scrolls=false;
  for(let p=e.parentElement;p&&p!=document.body;p=p.parentElement)
    scrolls=scrolls||['auto','scroll'].includes(getComputedStyle(p).overflowX);
  if(!scrolls&&(r.right>width+1||r.left<-1))say(e,r);
  if(e.tagName=='text'){
    const s=e.ownerSVGElement.getBoundingClientRect();
    if(r.left<s.left-1||r.right>s.right+1)say(e,r);
  }
}
parent.postMessage(JSON.stringify({width,contentWidth:root.scrollWidth,cut:cut.slice(0,8),
  elements:document.querySelectorAll('*').length}),'*');
})</script>)";
  std::string page = html;
  page.insert(page.rfind("</body>"), measure);
  std::ofstream(folder / "page.html") << page;
  // The least width of a browser's window is more than a telephone's, so the page stands in a frame.
  std::ofstream(folder / "frame.html")
      << "<!doctype html><body><output></output><script>addEventListener('message',e=>{"
         "document.querySelector('output').textContent=e.data})</script>"
         "<iframe src=\"page.html\" style=\"border:0;height:800px;width:"
      << width << "px\"></iframe></body>";
  const std::string command =
      "timeout 100 " + browser +
      " --headless --no-sandbox --disable-gpu --enable-logging=stderr --hide-scrollbars "
      "--allow-file-access-from-files --virtual-time-budget=20000 --window-size=1600,1000 "
      "--user-data-dir=" +
      (folder / "profile").string() + " --dump-dom file://" + (folder / "frame.html").string() +
      " 2>" + (folder / "log").string();
  std::string dom;
  if (FILE *pipe = popen(command.c_str(), "r")) {
    std::array<char, 4096> buffer;
    for (size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
      dom.append(buffer.data(), n);
    pclose(pipe);
  }
  Shown shown;
  std::ifstream log(folder / "log");
  shown.log.assign(std::istreambuf_iterator<char>(log), {});
  const size_t from = dom.find("<output>"), to = dom.find("</output>");
  if (from != dom.npos && to != dom.npos) {
    const std::string text = dom.substr(from + 8, to - from - 8);
    const auto json = nlohmann::json::parse(
        std::regex_replace(text, std::regex("&lt;|&gt;|&amp;"), "?"), nullptr, false);
    if (json.is_object()) {
      shown.width = json["width"];
      shown.contentWidth = json["contentWidth"];
      shown.cut = json["cut"];
      shown.elements = json["elements"];
    }
  }
  fs::remove_all(folder);
  return shown;
}

} // namespace meld::test
