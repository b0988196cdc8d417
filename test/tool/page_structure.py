# SPDX-License-Identifier: BSD-3-Clause
"""Checks what a page is made of: page_structure.py FILE. Prints what scripts it has; exits with a sentence if an
element is not closed, an id is there twice, something is loaded from elsewhere, or the data cannot be read."""
import html.parser
import json
import sys

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.seen, self.ids, self.data, self.code, self.texts = [], [], [], [], [], {}

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.seen.append(tag)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        for name in ("src", "href"):
            if not attributes.get(name, "data:").startswith("data:"):
                sys.exit(f"<{tag}> refers to {attributes[name]}")
        for name in attributes:
            if name.startswith("on"):
                sys.exit(f"<{tag}> has a handler, {name}")
        if tag == "script":
            (self.data if attributes.get("type") == "application/json" else self.code).append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            sys.exit(f"</{tag}> ends what it did not begin")

    def handle_data(self, data):
        tag = self.open[-1] if self.open else ""
        self.texts[tag] = self.texts.get(tag, "") + data
        if tag == "script":
            last = self.code if self.code else self.data
            last[-1] += data


def main():
    page = Page()
    with open(sys.argv[1], encoding="utf-8") as file:
        page.feed(file.read())
    page.close()
    if page.open:
        sys.exit(f"<{page.open[-1]}> is not closed")
    if len(set(page.ids)) != len(page.ids):
        sys.exit("an id is there twice")
    for tag in ("html", "head", "title", "body", "main", "h1", "noscript"):
        if page.seen.count(tag) != 1:
            sys.exit(f"<{tag}> is there {page.seen.count(tag)} times")
    run = json.loads(page.data[0])
    threads = [json.loads(text) for text in page.data[1:]]
    if len(run["threads"]) != len(threads) or any(len(t["columns"]) != len(run["columns"]) for t in threads):
        sys.exit("the threads are not those of the run")
    print(f"scripts: {len(page.data)} of data, {len(page.code)} of code")
    print(page.texts["title"])


main()
