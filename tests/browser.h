// Web pages of ours in a real browser, at a width that a reader has: what sticks out of them.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace meld::test {

struct Shown {
  int width = 0;         ///< of the page, as laid out; 0: the browser said nothing
  int contentWidth = 0;  ///< more than `width`: it can be scrolled sideways
  nlohmann::json cut;    ///< elements, and texts of drawings, that do not fit
  nlohmann::json broken; ///< pictures that did not load
  int elements = 0;      ///< in the page
  std::string log;       ///< what the browser wrote, with the page's console
};

/// A page, as a path below the folder of showAll(), and how wide it is laid out.
struct Frame {
  std::string page;
  int width;
};

/// Lays the pages of `folder` out, with all that is folded away opened when `open`; one answer for
/// each frame. Every page gets the script that measures, in the file itself, and a file beside them
/// holds the frames: give it a copy.
inline std::vector<Shown> showAll(const std::string &browser, const std::filesystem::path &folder,
                                  const std::vector<Frame> &frames, bool open) {
  // What an ancestor lets the reader scroll is not cut off; a drawing clips its texts.
  const std::string measure =
      std::string("<script>addEventListener('load',()=>{") +
      (open ? "document.querySelectorAll('details').forEach(d=>d.open=true);" : "") +
      R"(
const root=document.documentElement,width=root.clientWidth,cut=[],broken=[];
const say=(e,r)=>cut.push(e.tagName+'.'+e.getAttribute('class')+' '+(e.textContent||'').slice(0,40)+' '+r.left+'..'+r.right);
for(const e of document.querySelectorAll('body *')){
  const r=e.getBoundingClientRect();
  if(e.tagName=='IMG'&&!e.naturalWidth)broken.push(e.getAttribute('src'));
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
parent.postMessage(JSON.stringify({frame:window.name,width,contentWidth:root.scrollWidth,cut:cut.slice(0,8),
  broken,elements:document.querySelectorAll('*').length}),'*');
})</script>)";
  std::vector<Shown> shown(frames.size());
  // The least width of a browser's window is more than a telephone's, so the pages stand in frames.
  std::ofstream page(folder / "frames-of-the-test.html");
  page << "<!doctype html><body><output></output><script>addEventListener('message',e=>{"
          "document.querySelector('output').textContent+=e.data+'\\n'})</script>";
  std::set<std::string> measured;
  for (size_t i = 0; i < frames.size(); ++i) {
    const auto &[name, width] = frames[i];
    if (measured.insert(name).second) {
      std::ifstream in(folder / name);
      std::string html(std::istreambuf_iterator<char>(in), {});
      if (const size_t end = html.rfind("</body>"); end != html.npos)
        html.insert(end, measure);
      std::ofstream(folder / name) << html;
    }
    page << "<iframe name=\"" << i << "\" src=\"" << name
         << "\" style=\"border:0;height:800px;width:" << width << "px\"></iframe>";
  }
  page << "</body>";
  page.close();
  const std::string command =
      "timeout 100 " + browser +
      " --headless --no-sandbox --disable-gpu --enable-logging=stderr --hide-scrollbars "
      "--allow-file-access-from-files --virtual-time-budget=20000 --window-size=1600,1000 "
      "--user-data-dir=" +
      (folder / "profile").string() + " --dump-dom file://" +
      (folder / "frames-of-the-test.html").string() + " 2>" + (folder / "log").string();
  std::string dom;
  if (FILE *pipe = popen(command.c_str(), "r")) {
    std::array<char, 4096> buffer;
    for (size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
      dom.append(buffer.data(), n);
    pclose(pipe);
  }
  std::ifstream in(folder / "log");
  const std::string log(std::istreambuf_iterator<char>(in), {});
  for (Shown &one : shown)
    one.log = log;
  const size_t from = dom.find("<output>"), to = dom.find("</output>");
  if (from == dom.npos || to == dom.npos)
    return shown;
  std::istringstream lines(
      std::regex_replace(dom.substr(from + 8, to - from - 8), std::regex("&lt;|&gt;|&amp;"), "?"));
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object())
      continue;
    Shown &one = shown.at(std::stoul(json["frame"].get<std::string>()));
    one.width = json["width"];
    one.contentWidth = json["contentWidth"];
    one.cut = json["cut"];
    one.broken = json["broken"];
    one.elements = json["elements"];
  }
  return shown;
}

/// The same with one page, `html`.
inline Shown show(const std::string &browser, const std::string &html, int width, bool open) {
  namespace fs = std::filesystem;
  std::string pattern = fs::temp_directory_path() / "meld-page-XXXXXX";
  if (!mkdtemp(pattern.data()))
    return {};
  const fs::path folder = pattern;
  std::ofstream(folder / "page.html") << html;
  const Shown shown = showAll(browser, folder, {{"page.html", width}}, open).front();
  fs::remove_all(folder);
  return shown;
}

} // namespace meld::test
