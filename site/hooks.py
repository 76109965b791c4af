"""What the site needs beyond Markdown.

Where a page names another one, `docs/versions.md`, the name is a link. In tables a bar within code is written \\|, as
GitHub wants it, which python-markdown would show as it is.
"""
import os
import posixpath
import re


def on_page_markdown(markdown, page, config, files):
    here = posixpath.dirname(page.file.src_uri)

    def link(match):
        name = match.group(1)
        if name == page.file.src_uri or not os.path.exists(os.path.join(config["docs_dir"], name)):
            return match.group(0)
        return f"[{match.group(0)}]({posixpath.relpath(name, here or '.')})"

    out, fenced = [], False
    for line in markdown.split("\n"):
        fenced ^= line.lstrip().startswith("```")
        # Not in listings, nor inside of a link.
        out.append(line if fenced or line.startswith("    ") else
                   re.sub(r"(?<!\[)`docs/([\w/-]+\.md)`(?!\])", link, line))
    return "\n".join(out)


def on_page_content(html, page, config, files):
    return re.sub(r"<td.*?</td>", lambda cell: cell.group(0).replace("\\|", "|"), html, flags=re.S)
